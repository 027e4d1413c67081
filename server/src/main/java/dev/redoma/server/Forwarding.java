// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import dev.redoma.gateway.CheckedDialler;
import dev.redoma.gateway.CheckedPost;
import dev.redoma.ledger.Ledger;
import dev.redoma.server.config.ForwardConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/// What goes to other hosts of the evidence on this one.
final class Forwarding implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final Map<String, Forwarder> forwarders = new LinkedHashMap<>();

    private Forwarding() {}

    static Forwarding start(ForwardConfig config, Ledger ledger, CheckedDialler dialler, Path data, String installation) {
        var all = new Forwarding();
        var heads = config.heads();
        if (heads != null) {
            all.add(new HeadsOut(ledger, new SentSoFar(data.resolve("heads.sent"), heads.to())), heads, dialler);
        }
        var records = config.records();
        if (records != null) {
            all.add(new RecordsOut(ledger, new SentSoFar(data.resolve("records.sent"), records.to()), config.sealed(), installation), records, dialler);
        }
        return all;
    }

    private void add(Forwarder.Source source, ForwardConfig.Target to, CheckedDialler dialler) {
        forwarders.put(source.name(), Forwarder.start(source, to, new CheckedPost(dialler, to.allowPrivate(), PATIENCE)));
    }

    /// By what is sent: 1 where the last attempt failed.
    Map<String, Long> failing() {
        var failing = new LinkedHashMap<String, Long>();
        forwarders.forEach((what, forwarder) -> failing.put(what, forwarder.failing() ? 1L : 0L));
        return failing;
    }

    @Override
    public void close() throws InterruptedException {
        for (var forwarder : forwarders.values()) {
            forwarder.close();
        }
    }
}
