// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Servers as they are in a company's network, a real PostgreSQL and a real OpenSSH, behind class `internal`: what the policy grants works with ordinary clients, as user and as root; what lies beside it does not.
@Tag("long")
@Timeout(180)
class InternalServersTest {
    private static final String AT = "10.66.0.1";
    private static final String POLICY = """
            egress:
              internal:
                - {host: db.inside.test, cidrs: [10.66.0.0/24], port: 5432}
                - {host: git.inside.test, cidrs: [10.66.0.0/24], port: 22}
            """;
    /// The first words of PostgreSQL's protocol, a question and its answer.
    private static final String ASKS = """
            with connection((sys.argv[1] if len(sys.argv) > 1 else 'db.inside.test', 5432)) as s:
                words = b'user\\0postgres\\0database\\0postgres\\0\\0'
                s.sendall(struct.pack('>II', len(words) + 8, 196608) + words)
                question = b"select 'answer ' || 6 * 7 || ' of ' || split_part(version(), ' ', 1)\\0"
                s.sendall(b'Q' + struct.pack('>I', len(question) + 4) + question + b'X' + struct.pack('>I', 4))
                heard = b''
                while piece := s.recv(65536): heard += piece
                told(heard)
            """;
    @TempDir
    static Path dir;

    private static final List<Process> SERVERS = new ArrayList<>();
    private static LabInternet internet;
    private static RealServer server;
    private static LabBox box;

    @BeforeAll
    static void open() throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/usr/local/bin/postgres")) || sh("command -v postgres") == 0, "no PostgreSQL on this host");
        assumeTrue(sh("cd " + dir + " && apt-get download -o Debug::NoLocking=1 -o APT::Sandbox::User=root openssh-server libwrap0 libnsl2 libtirpc3 && for f in *.deb; do dpkg-deb -x $f root || exit 1; done") == 0, "this host's apt does not reach a real sshd");
        Files.setPosixFilePermissions(dir, PosixFilePermissions.fromString("rwxr-xr-x"));
        internet = new LabInternet(Set.of(22, 5432));
        assertThat(sh("mkdir " + dir + "/pg && chown postgres " + dir + "/pg && runuser -u postgres -- $(command -v initdb) -D " + dir + "/pg/data -A trust -N --no-instructions --locale=C && "
                + "echo 'host all all all trust' >> " + dir + "/pg/data/pg_hba.conf")).isZero();
        SERVERS.add(inside("exec runuser -u postgres -- $(command -v postgres) -D " + dir + "/pg/data -h " + AT + " -k " + dir + "/pg"));
        assertThat(sh("cd " + dir + " && ssh-keygen -q -t ed25519 -N '' -f host && ssh-keygen -q -t ed25519 -N '' -f me && cp /etc/passwd passwd && echo 'sshd:x:65500:65534::/run/sshd:/usr/sbin/nologin' >> passwd")).isZero();
        SERVERS.add(inside("exec unshare -m --propagation private sh -c 'mount --bind " + dir + "/passwd /etc/passwd && mount -t tmpfs none /run && mkdir -m 755 /run/sshd && LD_LIBRARY_PATH=$(echo " + dir + "/root/usr/lib/*-linux-gnu):$(echo " + dir
                + "/root/lib/*-linux-gnu) exec " + dir + "/root/usr/sbin/sshd -D -e -f /dev/null -h " + dir + "/host -o ListenAddress=" + AT + " -o AuthorizedKeysFile=" + dir + "/me.pub -o UsePAM=no -o StrictModes=no -o PermitRootLogin=yes -o PidFile=none'"));
        internet.names.put("db.inside.test", List.of(AT));
        internet.names.put("git.inside.test", List.of(AT));
        Files.writeString(dir.resolve("floor.yaml"), "egress: {internal: [{host: '*.inside.test', cidrs: [10.66.0.0/24], ports: any}]}");
        server = RealServer.start(Map.of("REDOMA_POOL_SIZE", "6GiB", "REDOMA_POLICY_FLOOR", dir.resolve("floor.yaml").toString()), internet.dialler());
        LabBox.template(server);
        box = LabBox.create(server, POLICY);
        var key = server.send("PUT", "/v1/sandboxes/" + box.id + "/files?path=/tmp/me", java.net.http.HttpRequest.BodyPublishers.ofFile(dir.resolve("me")));
        assertThat(key.statusCode()).as(key.body()).isLessThan(300);
        await().atMost(Duration.ofSeconds(40)).untilAsserted(() -> assertThat(LabBox.printed(box.probe("user", ASKS))).contains("answer 42"));
    }

    @AfterAll
    static void close() throws Exception {
        try {
            if (server != null) {
                server.close();
            }
        } finally {
            for (var one : SERVERS.reversed()) {
                one.destroy();
                one.waitFor(30, TimeUnit.SECONDS);
            }
            if (internet != null) {
                internet.close();
            }
        }
    }

    private static int sh(String command) throws Exception {
        var ran = new ProcessBuilder("sh", "-c", command).redirectErrorStream(true).redirectOutput(dir.resolve("log").toFile()).start();
        assertThat(ran.waitFor(120, TimeUnit.SECONDS)).isTrue();
        return ran.exitValue();
    }

    /// In the network of the test.
    private static Process inside(String command) throws Exception {
        return new ProcessBuilder("nsenter", "--net=/proc/" + internet.pid() + "/ns/net", "sh", "-c", command).redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.appendTo(dir.resolve("servers").toFile())).start();
    }

    private static String ssh(String user, String host, String more) throws Exception {
        return LabBox.printed(box.run(user, "sh", "-c", "cp /tmp/me /tmp/me-$(id -u) && chmod 600 /tmp/me-$(id -u) && ssh -i /tmp/me-$(id -u) -o BatchMode=yes -o ConnectTimeout=10 -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null " + more + " root@" + host
                + " 'echo came to port ${SSH_CONNECTION##* }' 2>&1"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"user", "root"})
    void nw13WhatIsAllowedAtPort22IsASessionOfSsh(String user) throws Exception {
        long last = box.last();
        assertThat(ssh(user, "git.inside.test", "")).contains("came to port 22");
        assertThat(box.records(0)).extracting(LabBox::told).contains("connect git.inside.test -"); // the second time it is counted
        assertThat(box.records(last)).extracting(LabBox::told).noneMatch(t -> t.contains(".denied"));
        assertThat(ssh(user, "db.inside.test", "")).doesNotContain("came to").contains("refused");
        assertThat(ssh(user, AT, "")).doesNotContain("came to");
    }

    @ParameterizedTest
    @ValueSource(strings = {"user", "root"})
    void aDatabaseAnswersAtTheNameAndPortThatAreGrantedAndNowhereElse(String user) throws Exception {
        assertThat(LabBox.printed(box.probe(user, ASKS))).contains("answer 42 of PostgreSQL");
        for (String other : List.of("git.inside.test", AT)) {
            assertThat(LabBox.printed(box.probe(user, "sys.argv = ['-', '" + other + "']\ndef go():\n" + ASKS.indent(4) + "\nattempt(go)"))).as(other).contains("failed").doesNotContain("answer 42");
        }
        assertThat(LabBox.printed(box.probe(user, "tcp('db.inside.test', 5432, records(hello('git.inside.test')))"))).doesNotContain("answer");
    }
}
