// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server.api;

import dev.redoma.engine.Files;
import dev.redoma.http.Problems;
import dev.redoma.model.RedomaException;
import java.io.IOException;
import java.time.Duration;

/// File events as server-sent events.
final class WatchAnswer {
    private static final Duration STEP = Duration.ofSeconds(1);
    private static final int STEPS_TO_KEEP_ALIVE = 15;

    private final Files files;

    WatchAnswer(Files files) {
        this.files = files;
    }

    void send(Call call) throws IOException, InterruptedException {
        try (var watch = files.watch(call.caller(), call.sandbox(), FileRoutes.path(call), FileRoutes.user(call), call.query().flag("recursive", true))) {
            var events = call.http().events();
            events.event("ready", null, java.util.Map.of());
            int quiet = 0;
            try {
                while (true) {
                    var event = watch.next(STEP);
                    call.guard().check();
                    if (event != null) {
                        events.event("file", null, event);
                        quiet = 0;
                        if (event.kind().equals("root-removed")) {
                            return;
                        }
                    } else if (++quiet == STEPS_TO_KEEP_ALIVE) {
                        events.comment("keep-alive");
                        quiet = 0;
                    }
                }
            } catch (RedomaException ended) {
                events.event("problem", null, Problems.wire(ended.problem()));
            }
        }
    }
}
