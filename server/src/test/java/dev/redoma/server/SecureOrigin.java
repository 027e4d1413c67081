// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import dev.redoma.gateway.ingress.LocalAuthority;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.eclipse.jetty.alpn.server.ALPNServerConnectionFactory;
import org.eclipse.jetty.http2.server.HTTP2ServerConnectionFactory;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.SecureRequestCustomizer;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.ssl.SslContextFactory;

/// An HTTPS origin of a test's own, HTTP/1.1 and HTTP/2, for `allowed.test` and the names below it: registries, a repository, and an echo.
final class SecureOrigin implements AutoCloseable {
    final List<String> arrived = new CopyOnWriteArrayList<>();
    private final Server server = new Server();
    private final Path authority;
    private final Path repository;

    private SecureOrigin(Path dir, String pem) throws Exception {
        authority = Files.writeString(dir.resolve("origin-ca.pem"), pem);
        repository = dir.resolve("repo.git");
        var work = dir.resolve("work");
        var made = new ProcessBuilder("sh", "-ec", "git init -q " + work + "; cd " + work + "; echo hello > f; git add f; git -c user.name=t -c user.email=t@example.com commit -qm one; git clone -q --bare . "
                + repository + "; git -C " + repository + " update-server-info").redirectErrorStream(true).start();
        String told = new String(made.getInputStream().readAllBytes());
        if (made.waitFor() != 0) {
            throw new IOException(told);
        }
    }

    static SecureOrigin start(ServerSocketChannel listener, Path dir) throws Exception {
        var minted = LocalAuthority.mint("allowed.test");
        var origin = new SecureOrigin(dir, minted.authority());
        var store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        var key = KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(Base64.getMimeDecoder().decode(minted.key().replaceAll("-----[A-Z ]+-----", ""))));
        var chain = CertificateFactory.getInstance("X.509").generateCertificates(new ByteArrayInputStream(minted.chain().getBytes(StandardCharsets.US_ASCII))).toArray(Certificate[]::new);
        store.setKeyEntry("origin", key, new char[0], chain);
        var tls = new SslContextFactory.Server();
        tls.setKeyStore(store);
        tls.setKeyStorePassword("");
        var http = new HttpConfiguration();
        http.addCustomizer(new SecureRequestCustomizer());
        var alpn = new ALPNServerConnectionFactory();
        alpn.setDefaultProtocol("http/1.1");
        var connector = new ServerConnector(origin.server, new SslConnectionFactory(tls, "alpn"), alpn, new HTTP2ServerConnectionFactory(http), new HttpConnectionFactory(http));
        connector.open(listener);
        origin.server.addConnector(connector);
        origin.server.setHandler(new Handler.Abstract() {
            @Override
            public boolean handle(Request request, Response response, Callback callback) throws Exception {
                return origin.answer(request, response, callback);
            }
        });
        origin.server.start();
        return origin;
    }

    Path authority() {
        return authority;
    }

    private boolean answer(Request request, Response response, Callback callback) throws Exception {
        String path = request.getHttpURI().getPath();
        arrived.add(request.getMethod() + " " + request.getHttpURI().getPathQuery() + " " + Request.getServerName(request) + " " + request.getConnectionMetaData().getHttpVersion().asString());
        if (path.equals("/ok/echo")) {
            Content.copy(request, response, callback);
            return true;
        }
        byte[] body = body(path, request);
        if (body == null) {
            Response.writeError(request, response, callback, 404);
            return true;
        }
        if (path.startsWith("/ok/simple/") && path.endsWith("/")) {
            response.getHeaders().put("Content-Type", "text/html");
        }
        response.write(true, java.nio.ByteBuffer.wrap(body), callback);
        return true;
    }

    private byte[] body(String path, Request request) throws Exception {
        if (path.startsWith("/ok/repo.git/")) {
            Path file = repository.resolve(path.substring("/ok/repo.git/".length()));
            return Files.isRegularFile(file) ? Files.readAllBytes(file) : null;
        }
        return switch (path) {
            case "/ok/npm/demo" -> "{\"name\":\"demo\",\"dist-tags\":{\"latest\":\"7.7.7\"},\"versions\":{\"7.7.7\":{\"name\":\"demo\",\"version\":\"7.7.7\",\"dist\":{\"tarball\":\"https://a.allowed.test/ok/npm/demo.tgz\"}}}}".getBytes();
            case "/ok/simple/demo/" -> "<html><body><a href=\"/ok/simple/demo-1.0-py3-none-any.whl\">demo-1.0-py3-none-any.whl</a></body></html>".getBytes();
            case "/ok/simple/demo-1.0-py3-none-any.whl" -> wheel();
            case "/ok/apt/dists/stable/main/binary-all/Packages", "/ok/apt/dists/stable/main/binary-amd64/Packages" -> "Package: hello-fixture\nVersion: 7.7\nArchitecture: all\nMaintainer: T <t@example.com>\nFilename: ./h.deb\nSize: 1\nSHA256: 0\nDescription: x\n\n".getBytes();
            default -> path.startsWith("/ok/apt/") || path.startsWith("/ok/npm/") ? null : ("hello " + path + " " + Content.Source.asString(request, StandardCharsets.UTF_8) + "\n").getBytes();
        };
    }

    private static byte[] wheel() throws IOException {
        var out = new ByteArrayOutputStream();
        try (var zip = new ZipOutputStream(out)) {
            for (var e : List.of("demo.py=x = 1\n", "demo-1.0.dist-info/METADATA=Metadata-Version: 2.1\nName: demo\nVersion: 1.0\n",
                    "demo-1.0.dist-info/WHEEL=Wheel-Version: 1.0\nGenerator: t\nRoot-Is-Purelib: true\nTag: py3-none-any\n", "demo-1.0.dist-info/RECORD=demo.py,,\n")) {
                zip.putNextEntry(new ZipEntry(e.substring(0, e.indexOf('='))));
                zip.write(e.substring(e.indexOf('=') + 1).getBytes());
            }
        }
        return out.toByteArray();
    }

    @Override
    public void close() throws Exception {
        server.stop();
    }
}
