// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server.api;

import dev.redoma.http.Exchange;
import dev.redoma.http.Route;
import dev.redoma.ledger.Entry;
import dev.redoma.ledger.Ledger;
import dev.redoma.model.Caller;
import dev.redoma.model.Code;
import dev.redoma.model.Layer;
import dev.redoma.model.Problem;
import dev.redoma.model.RedomaException;
import dev.redoma.model.TenantId;
import dev.redoma.server.api.DenialCounts.Kind;
import dev.redoma.server.keys.Keys;
import dev.redoma.store.Store;
import java.net.InetAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What was refused at the API's door: keys that may not do what they asked for, and who came with no good key. On record some seconds after, counted by key and call, and
/// what goes on more and more seldom, so that whoever tries for days fills neither the ledger nor memory. Nothing is dropped: what the database does not take now is told later. Thread-safe.
public final class Denials implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Denials.class);
    private static final Duration PAUSE = Duration.ofSeconds(2);

    private final Store store;
    private final Ledger ledger;
    private final Keys keys;
    private final DenialCounts counts = new DenialCounts(PAUSE);
    private final CountDownLatch ended = new CountDownLatch(1);
    private final Thread thread;

    public Denials(Store store, Ledger ledger, Keys keys) {
        this.store = store;
        this.ledger = ledger;
        this.keys = keys;
        thread = Thread.ofVirtual().name("denials").start(this::run);
    }

    Route watching(Route route) {
        return new Route(route.method(), route.pattern(), exchange -> {
            try {
                route.endpoint().handle(exchange);
            } catch (RedomaException refused) {
                look(route, exchange, refused.problem());
                throw refused;
            }
        });
    }

    private void look(Route route, Exchange exchange, Problem problem) {
        if (problem.code() == Code.UNAUTHENTICATED) {
            counts.add(new Kind(TenantId.DEFAULT.value(), "server", Map.of("code", problem.code().wire(), "from", from(exchange.remote()))));
        } else if (problem.code() == Code.FORBIDDEN && problem.layer() == Layer.POLICY) {
            var token = Api.token(exchange);
            (token == null ? Optional.<Caller>empty() : keys.find(token)).ifPresent(caller -> counts.add(new Kind(caller.tenant().value(), caller.key(), facts(route, problem))));
        }
    }

    private static Map<String, Object> facts(Route route, Problem problem) {
        var facts = new HashMap<String, Object>(Map.of("code", problem.code().wire(), "operation", route.method() + " " + route.pattern()));
        for (var name : List.of("scope", "role")) {
            if (problem.details().get(name) instanceof String lacking) {
                facts.put(name, lacking);
            }
        }
        return Map.copyOf(facts);
    }

    /// Addresses themselves would be personal data that nobody can erase from here.
    private static String from(String remote) {
        try {
            var address = InetAddress.ofLiteral(remote.replaceAll("[\\[\\]]", ""));
            return address.isLoopbackAddress() ? "loopback" : address.isSiteLocalAddress() || address.isLinkLocalAddress() ? "private" : "public";
        } catch (IllegalArgumentException noAddress) {
            return "unknown";
        }
    }

    private void run() {
        try {
            while (!ended.await(PAUSE.toMillis(), TimeUnit.MILLISECONDS)) {
                settle(false);
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    private void settle(boolean all) {
        var due = counts.due(all, System.nanoTime());
        if (due.isEmpty()) {
            return;
        }
        try {
            store.write(tx -> {
                due.forEach((kind, count) -> {
                    var facts = new HashMap<>(kind.facts());
                    facts.put("count", count);
                    ledger.append(tx, new Entry(kind.tenant(), kind.actor(), null, null, "admin", "denied", facts, Map.of(), List.of()));
                });
                return true;
            });
        } catch (RuntimeException unrecorded) {
            LOG.warn("what was refused at the door is not on record yet", unrecorded);
            counts.back(due);
        }
    }

    @Override
    public void close() throws InterruptedException {
        ended.countDown();
        thread.join(Duration.ofSeconds(10));
        settle(true);
    }
}
