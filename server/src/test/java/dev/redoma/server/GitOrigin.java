// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/// Repositories over HTTP, by git's own `http-backend`, on sockets that tests give it. `/stall` never answers, `/secret` asks for a name and password, `/away` sends elsewhere.
final class GitOrigin implements AutoCloseable {
    final List<String> arrived = new CopyOnWriteArrayList<>();
    private final Path repositories;
    private final List<AutoCloseable> open = new CopyOnWriteArrayList<>();

    GitOrigin(Path repositories) {
        this.repositories = repositories;
    }

    /// A bare repository with one commit; its id.
    String repository(String name, int bytes) throws Exception {
        Path work = Files.createDirectories(repositories.resolve(name + ".work"));
        git(work, "init", "-q", "-b", "main", ".");
        var content = new byte[bytes];
        new java.util.Random(7).nextBytes(content);
        Files.write(work.resolve("content"), content);
        Files.writeString(work.resolve("README"), name + "\n");
        git(work, "add", ".");
        git(work, "-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-qm", "one");
        git(repositories, "clone", "-q", "--bare", work.toString(), name + ".git");
        return git(work, "rev-parse", "HEAD").strip();
    }

    private static String git(Path dir, String... words) throws Exception {
        var command = new ArrayList<>(List.of("git"));
        command.addAll(List.of(words));
        var process = new ProcessBuilder(command).directory(dir.toFile()).redirectErrorStream(true).start();
        var said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new AssertionError(command + ": " + said);
        }
        return said;
    }

    static SSLContext tls(Path chain, Path key) throws Exception {
        var certificates = CertificateFactory.getInstance("X.509").generateCertificates(Files.newInputStream(chain)).toArray(Certificate[]::new);
        var der = Base64.getMimeDecoder().decode(Files.readString(key).replaceAll("-----[^-]+-----", "").strip());
        var store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        store.setKeyEntry("key", KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(der)), new char[0], certificates);
        var keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, new char[0]);
        var context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), null, null);
        return context;
    }

    void serve(ServerSocketChannel at, @Nullable SSLContext tls) {
        open.add(at);
        Thread.ofVirtual().start(() -> {
            while (at.isOpen()) {
                try {
                    var connection = at.accept();
                    open.add(connection);
                    Thread.ofVirtual().start(() -> one(connection.socket(), tls));
                } catch (IOException closed) {
                    // the next, if there is one
                }
            }
        });
    }

    private void one(Socket plain, @Nullable SSLContext tls) {
        try (plain) {
            Socket socket = plain;
            if (tls != null) {
                var secure = (SSLSocket) tls.getSocketFactory().createSocket(plain, null, plain.getPort(), true);
                secure.setUseClientMode(false);
                socket = secure;
            }
            answer(socket);
            socket.close();
        } catch (Exception gone) {
            // whoever asked is not interested any more
        }
    }

    private void answer(Socket socket) throws Exception {
        InputStream in = socket.getInputStream();
        var line = line(in).split(" ");
        var heads = new TreeMap<String, String>();
        for (String head = line(in); !head.isEmpty(); head = line(in)) {
            heads.put(head.substring(0, head.indexOf(':')).toLowerCase(Locale.ROOT), head.substring(head.indexOf(':') + 1).strip());
        }
        arrived.add(line[0] + " " + line[1] + (heads.containsKey("authorization") ? " with a password" : ""));
        byte[] body = heads.containsKey("transfer-encoding") ? chunks(in) : in.readNBytes(Integer.parseInt(heads.getOrDefault("content-length", "0")));
        if (line[1].startsWith("/stall")) {
            TimeUnit.MINUTES.sleep(10);
        }
        var out = socket.getOutputStream();
        if (line[1].startsWith("/secret")) {
            out.write("HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"x\"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            return;
        }
        if (line[1].startsWith("/away")) {
            out.write(("HTTP/1.1 302 Found\r\nLocation: http://elsewhere.test" + line[1] + "\r\nContent-Length: 0\r\nConnection: close\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
            return;
        }
        out.write(backend(line[0], line[1], heads, body));
    }

    private byte[] backend(String method, String target, Map<String, String> heads, byte[] body) throws Exception {
        var builder = new ProcessBuilder("git", "http-backend");
        int query = target.indexOf('?');
        builder.environment().putAll(Map.of("GIT_PROJECT_ROOT", repositories.toString(), "GIT_HTTP_EXPORT_ALL", "1", "PATH_INFO", query < 0 ? target : target.substring(0, query),
                "QUERY_STRING", query < 0 ? "" : target.substring(query + 1), "REQUEST_METHOD", method, "CONTENT_TYPE", heads.getOrDefault("content-type", ""),
                "CONTENT_LENGTH", Integer.toString(body.length), "HTTP_CONTENT_ENCODING", heads.getOrDefault("content-encoding", ""), "GIT_PROTOCOL", heads.getOrDefault("git-protocol", "")));
        var process = builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
        Thread.ofVirtual().start(() -> {
            try (var stdin = process.getOutputStream()) {
                stdin.write(body);
            } catch (IOException gone) {
                // it wanted no more
            }
        });
        byte[] said = process.getInputStream().readAllBytes();
        process.waitFor();
        int end = new String(said, StandardCharsets.ISO_8859_1).indexOf("\r\n\r\n");
        var head = new String(said, 0, end, StandardCharsets.ISO_8859_1);
        var status = head.lines().filter(l -> l.startsWith("Status: ")).map(l -> l.substring(8)).findFirst().orElse("200 OK");
        var answer = new ByteArrayOutputStream();
        answer.writeBytes(("HTTP/1.1 " + status + "\r\n" + head + "\r\nContent-Length: " + (said.length - end - 4) + "\r\nConnection: close\r\n\r\n").getBytes(StandardCharsets.ISO_8859_1));
        answer.write(said, end + 4, said.length - end - 4);
        return answer.toByteArray();
    }

    private static byte[] chunks(InputStream in) throws IOException {
        var all = new ByteArrayOutputStream();
        for (int size = Integer.parseInt(line(in).split(";")[0], 16); size > 0; size = Integer.parseInt(line(in).split(";")[0], 16)) {
            all.write(in.readNBytes(size));
            line(in);
        }
        line(in);
        return all.toByteArray();
    }

    private static String line(InputStream in) throws IOException {
        var line = new ByteArrayOutputStream();
        for (int b = in.read(); b != '\n'; b = in.read()) {
            if (b < 0) {
                throw new IOException("ended");
            }
            line.write(b);
        }
        return line.toString(StandardCharsets.ISO_8859_1).strip();
    }

    @Override
    public void close() throws Exception {
        for (var one : open) {
            one.close();
        }
    }
}
