// SPDX-License-Identifier: Apache-2.0
package dev.redoma.http;

import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.RedomaException;
import java.io.IOException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.URIUtil;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Where HTTP meets the house: finds the route, runs its endpoint, and renders whatever it throws, once.
final class Edge extends Handler.Abstract {
    private static final Logger LOG = LoggerFactory.getLogger(Edge.class);

    private final AtomicInteger active = new AtomicInteger();
    private volatile Finder finder;

    Edge(Finder finder) {
        this.finder = finder;
    }

    void route(Finder next) {
        finder = next;
    }

    /// Finds who answers a request; a RedomaException where nobody does.
    @FunctionalInterface
    interface Finder {
        Router.Match find(Request request);

        static Finder by(Router router) {
            return request -> router.match(request.getMethod(),
                    Router.split(request.getHttpURI().getCanonicalPath()).stream().map(URIUtil::decodePath).toList());
        }

        /// The same for every request, whatever its path.
        static Finder of(Endpoint all) {
            var match = new Router.Match(new Route("*", "/", all), Map.of());
            return request -> match;
        }
    }

    /// Waits until nothing is under way; false if something still was after that time.
    boolean awaitQuiet(Duration atMost) throws InterruptedException {
        long until = System.nanoTime() + atMost.toNanos();
        while (active.get() > 0 && System.nanoTime() < until) {
            Thread.sleep(10);
        }
        return active.get() == 0;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
        active.incrementAndGet();
        try {
            answer(request, response, callback);
        } finally {
            active.decrementAndGet();
        }
        return true;
    }

    private void answer(Request request, Response response, Callback callback) {
        // A handler that works without reading or writing is not idle; its own waits end it.
        request.addIdleTimeoutListener(idle -> false);
        var unrouted = new Exchange(request, response, callback, Map.of(), active);
        Router.Match match;
        try {
            match = finder.find(request);
        } catch (RedomaException refused) {
            fail(request, callback, unrouted, refused);
            return;
        }
        run(request, callback, match.route(), new Exchange(request, response, callback, match.parameters(), active));
    }

    private void run(Request request, Callback callback, Route route, Exchange exchange) {
        try {
            route.endpoint().handle(exchange);
            if (exchange.upgraded()) {
                return;
            }
            if (!exchange.answered()) {
                throw new IllegalStateException("no answer from " + route.method() + " " + route.pattern());
            }
            exchange.finish();
            Leftover.drain(request);
            callback.succeeded();
        } catch (Throwable failure) {
            if (exchange.upgraded()) {
                LOG.error("after the upgrade of {}", route.pattern(), failure);
                return;
            }
            fail(request, callback, exchange, failure);
        }
    }

    private void fail(Request request, Callback callback, Exchange exchange, Throwable failure) {
        if (ClientGone.in(failure) && (exchange.answered() || !stalled(failure))) {
            LOG.debug("{} {}: client gone", request.getMethod(), request.getHttpURI().getPath());
            exchange.release();
            exchange.reset();
            callback.failed(failure instanceof ClientGone ? failure : new ClientGone(failure));
            return;
        }
        var problem = problem(request, failure);
        if (!exchange.restart()) {
            exchange.reset();
            callback.failed(failure);
            return;
        }
        try {
            exchange.problem(problem);
            Leftover.drain(request);
            callback.succeeded();
        } catch (IOException | RuntimeException gone) {
            callback.failed(gone);
        }
    }

    /// The client is there but sends nothing more.
    private static boolean stalled(Throwable failure) {
        for (Throwable t = failure; t != null; t = t.getCause()) {
            if (t instanceof TimeoutException) {
                return true;
            }
        }
        return false;
    }

    private static Problem problem(Request request, Throwable failure) {
        if (ClientGone.in(failure) && stalled(failure)) {
            return Problem.of(Code.REQUEST_TIMEOUT, "The rest of the request did not come.", "Send it without long pauses.");
        }
        for (Throwable t = failure; t != null; t = t.getCause()) {
            switch (t) {
                case RedomaException ours -> {
                    if (ours.code().status() >= 500 && ours.code().status() != 501 && ours.code() != Code.STOPPING) {
                        LOG.warn("{} {}: {}", request.getMethod(), request.getHttpURI().getPath(), ours.getMessage(), ours.getCause());
                    }
                    return ours.problem();
                }
                case HttpException bad when bad.getCode() < 500 -> {
                    return Problem.of(Code.BAD_REQUEST, "The request cannot be read: " + bad.getReason(), "Send well-formed HTTP.");
                }
                default -> {}
            }
        }
        var incident = HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextInt());
        LOG.error("incident {}: {} {}", incident, request.getMethod(), request.getHttpURI().getPath(), failure);
        return Problem.of(Code.INTERNAL, "Something failed inside the server (incident " + incident + ").", "Look up the incident in the server's log.")
                .with("incident", incident);
    }
}
