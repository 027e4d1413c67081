// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.redoma.engine.image.Outgoing.Origin;
import dev.redoma.engine.image.Registries;
import dev.redoma.gateway.CheckedDialler;
import dev.redoma.gateway.CheckedOutgoing;
import dev.redoma.gateway.UpstreamProxy;
import dev.redoma.model.RedomaException;
import dev.redoma.model.wire.Sandbox;
import dev.redoma.policy.AddressSpace;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.Channels;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.xbill.DNS.ARecord;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Message;
import org.xbill.DNS.Section;
import org.xbill.DNS.Type;

/// A host that reaches others through an HTTP proxy alone: names are looked up and decided here, and the proxy is asked for addresses.
@Timeout(120)
class ProxyTest {
    private static final InetAddress PUBLIC = InetAddress.ofLiteral("45.0.0.1");
    @TempDir
    Path dir;

    private LocalProxy proxy;
    private HttpServer web;
    private DatagramSocket names;

    @BeforeEach
    void open() throws Exception {
        proxy = new LocalProxy();
        proxy.wants("agent:correct horse");
        web = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 16);
        web.createContext("/", e -> {
            byte[] body = ("hello " + e.getRequestURI() + " of " + e.getRequestHeaders().getFirst("Host") + "\n").getBytes();
            e.sendResponseHeaders(200, body.length);
            e.getResponseBody().write(body);
            e.close();
        });
        web.start();
        proxy.routes.put("45.0.0.1:80", web.getAddress());
        names = new DatagramSocket(0, InetAddress.ofLiteral("127.0.0.1"));
        Thread.ofVirtual().start(this::names);
    }

    @AfterEach
    void close() throws IOException {
        names.close();
        web.stop(0);
        proxy.close();
    }

    /// `inside.test` is private, all else public.
    private void names() {
        var packet = new DatagramPacket(new byte[2048], 2048);
        while (!names.isClosed()) {
            try {
                names.receive(packet);
                var asking = new Message(java.util.Arrays.copyOf(packet.getData(), packet.getLength()));
                var answer = new Message(asking.getHeader().getID());
                answer.getHeader().setFlag(Flags.QR);
                answer.addRecord(asking.getQuestion(), Section.QUESTION);
                if (asking.getQuestion().getType() == Type.A) {
                    var name = asking.getQuestion().getName();
                    answer.addRecord(new ARecord(name, DClass.IN, 1, name.toString(true).equals("inside.test") ? InetAddress.ofLiteral("10.9.9.9") : PUBLIC), Section.ANSWER);
                }
                byte[] wire = answer.toWire();
                names.send(new DatagramPacket(wire, wire.length, packet.getSocketAddress()));
            } catch (IOException closed) {
                // looked at above
            }
        }
    }

    private Path credentials(String text, String mode) throws IOException {
        var file = Files.writeString(dir.resolve("proxy.credentials"), text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
        return file;
    }

    private CheckedDialler dialler() throws IOException {
        return CheckedDialler.of(List.of(new InetSocketAddress("127.0.0.1", names.getLocalPort())), a -> false, AddressSpace.INTERNET,
                new UpstreamProxy("127.0.0.1", proxy.port(), credentials("agent:correct horse\n", "rw-------")));
    }

    @Test
    void aSandboxReachesNamesThroughItByTheirCheckedAddresses() throws Exception {
        try (var server = RealServer.start(Map.of("REDOMA_UPSTREAM_PROXY", "http://127.0.0.1:" + proxy.port(), "REDOMA_UPSTREAM_PROXY_CREDENTIALS", credentials("agent:correct horse", "rw-------").toString(),
                "REDOMA_UPSTREAM_RESOLVER", "127.0.0.1:" + names.getLocalPort()))) {
            var box = server.post("/v1/sandboxes", Map.of("policy", "egress: {web: [{hosts: ['*.allowed.test:80'], tls: opaque}]}"), Sandbox.class);
            assertThat(run(server, box, "wget -qO- http://a.allowed.test/x")).isEqualTo("hello /x of a.allowed.test\n");
            run(server, box, "wget -qO- http://denied.test/x");
            assertThat(proxy.targets()).containsExactly("45.0.0.1:80");
            assertThat(proxy.asked.getFirst()).doesNotContain("allowed.test");
            proxy.wants("agent:another");
            assertThat(run(server, box, "wget -qO- http://a.allowed.test/y")).doesNotContain("hello");
            assertThat(records(server, box)).contains("\"action\":\"connect.failed\"", "\"reason\":\"proxy\"", "\"status\":407").doesNotContain("correct horse");
            credentials("agent:another", "rw-------");
            assertThat(run(server, box, "wget -qO- http://a.allowed.test/z")).contains("hello /z");
            assertThat(server.get("/v1/sandboxes/" + box.id() + "/policy").body()).contains("through the proxy 127.0.0.1:" + proxy.port());
        }
    }

    private static String records(RealServer server, Sandbox box) throws Exception {
        return server.get("/v1/audit?sandbox=" + box.id() + "&category=egress&newest=100").body();
    }

    private static String run(RealServer server, Sandbox box, String command) throws Exception {
        return new BaseBox(server, box).run("user", command).out();
    }

    @Test
    void registriesAreReachedThroughItAndWhatIsPrivateWithoutIt() throws Exception {
        var named = new Registries(null, List.of(new Registries.Named("registry.test", true, false, null, null, null, List.of(), null)));
        try (var out = new CheckedOutgoing(dialler(), named); var reply = out.get(new Origin(false, "registry.test", 80), "/v2/", Map.of())) {
            assertThat(reply.status()).isEqualTo(200);
            assertThat(new String(reply.body().readAllBytes())).isEqualTo("hello /v2/ of registry.test\n");
        }
        assertThat(proxy.targets()).containsExactly("45.0.0.1:80");
        try (var out = new CheckedOutgoing(dialler(), named)) {
            assertThatThrownBy(() -> out.get(new Origin(true, "inside.test", 443), "/v2/", Map.of())).isInstanceOf(RedomaException.class).hasMessageContaining("private");
        }
        assertThat(proxy.targets()).hasSize(1);
        assertThatThrownBy(() -> dialler().dial(List.of(InetAddress.ofLiteral("127.0.0.1")), 1)).isInstanceOf(IOException.class);
        assertThat(proxy.targets()).as("what is this host's is not asked of it").hasSize(1);
    }

    @Test
    void whatFollowsItsAnswerIsTheTargets() throws Exception {
        proxy.says("HTTP/1.1 200 OK\r\nX: y\r\n\r\nSSH-2.0-first\r\n".getBytes());
        var dialled = dialler().dial(List.of(PUBLIC), 22);
        try (var channel = dialled.channel()) {
            assertThat(dialled.address()).isEqualTo(PUBLIC);
            assertThat(new String(Channels.newInputStream(channel).readNBytes(15))).isEqualTo("SSH-2.0-first\r\n");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"HTTP/1.1 403 Forbidden\r\n\r\n", "HTTP/1.1 100 Continue\r\n\r\n", "SSH-2.0-x\r\n\r\n", "HTTP/2 200\r\n\r\n", "HTTP/1.1 2000 OK\r\n\r\n"})
    void whatIsNoTunnelIsNone(String answer) throws Exception {
        proxy.says(answer.getBytes());
        assertThatThrownBy(() -> dialler().dial(List.of(PUBLIC), 443)).isInstanceOf(UpstreamProxy.NoTunnel.class).hasMessageContaining("the proxy 127.0.0.1:" + proxy.port());
    }

    @Test
    void anAnswerWithoutAnEndIsNotReadForEver() throws Exception {
        proxy.says(("HTTP/1.1 200 OK\r\nX: " + "y".repeat(20_000)).getBytes());
        assertThatThrownBy(() -> dialler().dial(List.of(PUBLIC), 443)).isInstanceOf(UpstreamProxy.NoTunnel.class).hasMessageContaining("more than");
    }

    @Test
    @Tag("long")
    void oneThatIsSilentIsGivenUpAfterTenSeconds() throws Exception {
        proxy.says(new byte[0]);
        long since = System.nanoTime();
        assertThatThrownBy(() -> dialler().dial(List.of(PUBLIC), 443)).isInstanceOf(UpstreamProxy.NoTunnel.class).hasMessageContaining("does not answer");
        assertThat((System.nanoTime() - since) / 1_000_000_000).isBetween(9L, 15L);
    }

    @Test
    void credentialsThatOthersMayReadOrThatAreNoneAreRefused() throws Exception {
        for (var file : List.of(credentials("agent:x", "rw-r--r--"), dir.resolve("missing"))) {
            assertThatThrownBy(() -> new UpstreamProxy("127.0.0.1", 1, file)).isInstanceOf(RedomaException.class).hasMessageContaining("upstream.proxy-credentials");
        }
        for (var wrong : List.of("agent", ":x", "a:b\r\nX: y", "a:" + "b".repeat(5000))) {
            var file = credentials(wrong, "rw-------");
            assertThatThrownBy(() -> new UpstreamProxy("127.0.0.1", 1, file)).as(wrong).isInstanceOf(RedomaException.class);
        }
    }

    @Test
    void itsOwnAddressIsNobodysToReach() throws Exception {
        var dialler = CheckedDialler.of(List.of(), a -> false, AddressSpace.INTERNET, new UpstreamProxy("45.0.0.9", 3128, null));
        assertThat(dialler.own(InetAddress.ofLiteral("45.0.0.9"))).isTrue();
        assertThat(dialler.own(PUBLIC)).isFalse();
    }
}
