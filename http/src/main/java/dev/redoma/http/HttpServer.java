// SPDX-License-Identifier: Apache-2.0
package dev.redoma.http;

import java.net.InetSocketAddress;
import java.time.Duration;
import org.eclipse.jetty.http.HttpCompliance;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.alpn.server.ALPNServerConnectionFactory;
import org.eclipse.jetty.http2.server.AbstractHTTP2ServerConnectionFactory;
import org.eclipse.jetty.http2.server.HTTP2CServerConnectionFactory;
import org.eclipse.jetty.http2.server.HTTP2ServerConnectionFactory;
import org.eclipse.jetty.io.ArrayByteBufferPool;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.SecureRequestCustomizer;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.util.VirtualThreads;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.eclipse.jetty.websocket.server.ServerWebSocketContainer;
import org.jspecify.annotations.Nullable;

/// An HTTP/1.1 and h2c server on one address. Endpoints run on virtual threads. Thread-safe.
public final class HttpServer implements AutoCloseable {
    private static final int BUFFER = 128 * 1024;

    private final Server server;
    private final ServerConnector connector;
    private final Edge edge;
    private final Duration grace;

    private HttpServer(Settings settings, Edge.Finder finder, UriCompliance paths, @Nullable Tls tls) {
        var threads = new QueuedThreadPool(16, 2, 60_000);
        threads.setName("http");
        threads.setReservedThreads(0);
        threads.setVirtualThreadsExecutor(VirtualThreads.getNamedVirtualThreadsExecutor("http-"));
        grace = settings.grace();
        // Jetty's own pool keeps nothing of our size: each request would allocate and clear anew
        server = new Server(threads, null, new ArrayByteBufferPool(0, 4096, 2 * BUFFER));
        edge = new Edge(finder);
        server.setHandler(edge);
        server.setErrorHandler(new ErrorPage());
        var http = configuration(settings, paths);
        var http1 = new HttpConnectionFactory(http);
        http1.setInputBufferSize(BUFFER);
        http1.setUseInputDirectByteBuffers(true);
        http1.setUseOutputDirectByteBuffers(true);
        var http2 = tls == null ? new HTTP2CServerConnectionFactory(http) : new HTTP2ServerConnectionFactory(http);
        if (tls != null) {
            http.addCustomizer(new SecureRequestCustomizer(false));
            http2.setConnectProtocolEnabled(false); // a WebSocket comes over HTTP/1.1
        }
        http2.setInputBufferSize(BUFFER);
        http2.setInitialStreamRecvWindow(1 << 20);
        http2.setInitialSessionRecvWindow(4 << 20);
        http2.setMaxConcurrentStreams(256);
        connector = new ServerConnector(server, 1, 1, factories(tls, http1, http2));
        connector.setHost(settings.host());
        connector.setPort(settings.port());
        connector.setIdleTimeout(settings.idle().toMillis());
        connector.setAcceptQueueSize(1024);
        connector.setAcceptedSendBufferSize(4 * BUFFER); // a stream's writes fit as a whole
        connector.setShutdownIdleTimeout(1000);
        server.addConnector(connector);
        // Whoever may connect, keys or none, must not use up the descriptors that sandboxes need.
        connector.addBean(new ConnectionLimit(settings.connections(), Duration.ofSeconds(1), connector));
        server.setStopTimeout(0);
        WebSocketUpgrade.configure(ServerWebSocketContainer.ensure(server));
    }

    private static ConnectionFactory[] factories(@Nullable Tls tls, HttpConnectionFactory http1, AbstractHTTP2ServerConnectionFactory http2) {
        if (tls == null) {
            return new ConnectionFactory[] {http1, http2};
        }
        var alpn = new ALPNServerConnectionFactory();
        alpn.setDefaultProtocol(http1.getProtocol());
        return new ConnectionFactory[] {new SslConnectionFactory(tls.factory(), alpn.getProtocol()), alpn, http2, http1};
    }

    private static HttpConfiguration configuration(Settings settings, UriCompliance paths) {
        var http = new HttpConfiguration();
        http.setSendServerVersion(false);
        http.setSendXPoweredBy(false);
        http.setRequestHeaderSize(settings.headerBytes());
        http.setHttpCompliance(HttpCompliance.STRICT);
        http.setUriCompliance(paths);
        http.setOutputBufferSize(BUFFER);
        http.setOutputAggregationSize(0);
        http.setRelativeRedirectAllowed(false);
        http.setMaxUnconsumedRequestContentReads(4);
        return http;
    }

    /// Serves at once; port 0 takes a free one.
    public static HttpServer start(Settings settings, Router router) {
        return started(settings, new HttpServer(settings, Edge.Finder.by(router), UriCompliance.DEFAULT, null));
    }

    /// Gives every request to one endpoint, whatever its path is: it is for others to judge.
    public static HttpServer start(Settings settings, Endpoint all) {
        return started(settings, new HttpServer(settings, Edge.Finder.of(all), UriCompliance.UNSAFE, null));
    }

    /// The same over TLS, HTTP/2 by ALPN.
    public static HttpServer start(Settings settings, Tls tls, Endpoint all) {
        return started(settings, new HttpServer(settings, Edge.Finder.of(all), UriCompliance.UNSAFE, tls));
    }

    private static HttpServer started(Settings settings, HttpServer http) {
        try {
            http.server.start();
        } catch (Exception failed) {
            http.close();
            throw dev.redoma.model.Problem.of(dev.redoma.model.Code.HOST_FAILED,
                            "Cannot listen on " + settings.host() + ":" + settings.port() + ": " + failed.getMessage(),
                            "Choose another address with --listen.")
                    .raise(failed);
        }
        return http;
    }

    /// From now on these routes are served.
    public void route(Router router) {
        edge.route(Edge.Finder.by(router));
    }

    /// From now on this endpoint gets every request.
    public void route(Endpoint all) {
        edge.route(Edge.Finder.of(all));
    }

    /// From now on requests to that host are routed, and this endpoint gets all others.
    public void route(String host, Router router, Endpoint others) {
        var routed = Edge.Finder.by(router);
        var rest = Edge.Finder.of(others);
        edge.route(request -> host.equalsIgnoreCase(request.getHttpURI().getHost()) ? routed.find(request) : rest.find(request));
    }

    public InetSocketAddress address() {
        return new InetSocketAddress(connector.getHost(), connector.getLocalPort());
    }

    /// Waits for what is under way (at most the grace), then closes every connection.
    @Override
    public void close() {
        try {
            edge.awaitQuiet(grace);
            server.stop();
        } catch (InterruptedException hurried) {
            Thread.currentThread().interrupt();
        } catch (Exception failed) {
            org.slf4j.LoggerFactory.getLogger(HttpServer.class).warn("stopping the HTTP server: {}", failed.toString());
        }
    }

    /// Where to listen and how long to be patient; `connections`: how many at a time, whoever makes them.
    public record Settings(String host, int port, Duration idle, int headerBytes, Duration grace, int connections) {

        public static Settings on(String host, int port) {
            return new Settings(host, port, Duration.ofSeconds(60), 16 * 1024, Duration.ofSeconds(5), 4096);
        }
    }
}
