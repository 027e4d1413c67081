// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.engine.image.PullControl;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.RedomaException;
import java.util.Map;
import java.util.Objects;

/// One build at work that pulls an image. One thread.
final class ImageBuild {
    private final Core core;
    private final TemplateImages images;
    private final BuildOrder order;

    ImageBuild(Core core, TemplateImages images, BuildOrder order) {
        this.core = core;
        this.images = images;
        this.order = order;
    }

    /// The finished version; its row is written and the name points at it.
    void run() {
        var control = new PullControl(new PullWords(order.log(), ""));
        order.breakOff(control::cancel);
        core.store().write(tx -> {
            BuildRows.step(tx, order.id(), 1);
            return true;
        });
        BuildRow build = order.row();
        try {
            TemplateRow made = images.pull(order.caller(), build, Objects.requireNonNull(order.image()), order.login(), control, (tx, row) -> {
                if (!BuildRows.end(tx, build.id(), BuildRow.READY, row.digest(), null, core.now())) {
                    throw new IllegalStateException("the build had ended before");
                }
                core.records().build(tx, build, order.caller().key(), "build.ready", Map.of("digest", row.digest()));
            });
            order.log().say("ready: " + made.name() + " " + made.digest());
        } catch (RedomaException e) {
            if (order.unwanted()) {
                throw Problem.of(Code.BUILD_INTERRUPTED, order.cancelled() ? "The build was cancelled." : "The server stopped while the build was under way.", "Build again.").raise(e);
            }
            throw e;
        }
    }
}
