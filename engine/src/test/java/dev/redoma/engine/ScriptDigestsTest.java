// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redoma.kernel.Dir;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ScriptDigestsTest {

    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "-", value = {
        "sh x.sh|x.sh", "/bin/sh -e x.sh a b|/bin/sh,x.sh", "bash -o pipefail -x ./x.sh|./x.sh", "bash -lc x.sh|", "sh -c ./x.sh|", "sh -s|", "sh - x|", "bash -- -odd|-odd", "zsh +e x|x", "dash|", "./x.sh a|./x.sh", "x.sh|",
        "python3 x.py -c y|x.py", "python3.12 -u -W ignore x.py|x.py", "python -m http.server|", "python3 -c x.py|", "python3 -Bc x|", "/usr/bin/python3 -X dev x.py|/usr/bin/python3,x.py", "node --require ./r.js x.js|x.js", "node -e x|",
        "node --eval=x y|", "node --inspect x.js|x.js", "perl -I lib x.pl|x.pl", "perl -ne x|", "perl -Ilib x.pl|x.pl", "ruby -r json x.rb|x.rb", "php -d a=b x.php|x.php", "env sh x.sh|", "git push|"})
    void theWordsThatNameAFileOfKnownForms(String argv, String words) {
        assertThat(ScriptWords.of(List.of(argv.split(" ")))).isEqualTo(words == null || words.isEmpty() ? List.of() : Arrays.asList(words.split(",")));
    }

    private static String sha(String text) throws Exception {
        return "sha256:" + HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(text.getBytes()));
    }

    @Test
    void aFileIsReadBelowTheRootAndWhatIsNoneIsToldSo(@TempDir Path dir) throws Exception {
        var root = Files.createDirectories(dir.resolve("root"));
        Files.writeString(dir.resolve("outside"), "outside");
        Files.createDirectories(root.resolve("home/u"));
        Files.createDirectories(root.resolve("etc"));
        Files.writeString(root.resolve("etc/passwd"), "root:x:0:0::/root:/bin/sh\nuser:x:1000:1000::/home/u:/bin/sh\n");
        Files.writeString(root.resolve("home/u/x.sh"), "echo hi\n");
        Files.createSymbolicLink(root.resolve("link"), Path.of("/home/u/x.sh"));
        Files.createSymbolicLink(root.resolve("out"), Path.of("../../../outside"));
        Files.createSymbolicLink(root.resolve("magic"), Path.of("/proc/self/exe"));
        try (var at = Dir.open(root)) {
            at.mkfifo("fifo", 0600);
        }
        try (var huge = new java.io.RandomAccessFile(root.resolve("huge").toFile(), "rw")) {
            huge.setLength(ScriptDigests.LARGEST + 1);
        }
        var read = ScriptDigests.of(Optional.of(root.resolve(".")), "/home/u", "user", List.of("x.sh", "/link", "/out", "/magic", "/fifo", "/huge", "/etc", "../../../../../outside"));
        assertThat(read.subList(0, 2)).extracting(d -> d.sha256().orElse(d.why())).containsOnly(sha("echo hi\n"));
        assertThat(read.subList(2, 8)).allSatisfy(d -> assertThat(d.sha256()).isEmpty()).extracting(ScriptDigests.Digest::why)
                .containsExactly("it is not there", "it is not there", "it is no regular file but a fifo", "it is larger than 64 MiB", "it is no regular file but a directory", "it is not there");
        assertThat(ScriptDigests.of(Optional.of(root.resolve(".")), "", "user", List.of("x.sh")).getFirst().sha256()).as("from the home of the user").contains(sha("echo hi\n"));
        assertThat(ScriptDigests.of(Optional.of(root.resolve(".")), "", "nobody", List.of("x.sh")).getFirst().why()).contains("home directory that is not known");
        assertThat(ScriptDigests.of(Optional.empty(), "/", "user", List.of("x.sh")).getFirst().why()).contains("does not see");
        assertThat(ScriptDigests.of(Optional.of(Path.of("/proc/self/root/.")), "/", "user", List.of("/proc/self/status")).getFirst().sha256()).as("what is made when it is read").isEmpty();
    }
}
