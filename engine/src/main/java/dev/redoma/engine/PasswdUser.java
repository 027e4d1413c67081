// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;

/// Who commands run as in a root file system: `user` where its /etc/passwd has one, else root. The layer is hostile but nobody changes
/// it any more; neither `etc` nor `passwd` may be a link, and only so much is read.
final class PasswdUser {
    private static final int MOST = 1 << 20;
    private static final String NAME = "user";

    private PasswdUser() {}

    static TemplateConfig configOf(Path layer) {
        boolean there = passwd(layer).lines().anyMatch(line -> line.startsWith(NAME + ":"));
        return new TemplateConfig(there ? NAME : "root", null, null);
    }

    private static String passwd(Path layer) {
        Path etc = layer.resolve("etc");
        Path file = etc.resolve("passwd");
        if (!Files.isDirectory(etc, LinkOption.NOFOLLOW_LINKS) || !Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            return "";
        }
        try (SeekableByteChannel in = Files.newByteChannel(file, Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS))) {
            var bytes = ByteBuffer.allocate((int) Math.min(MOST, in.size()));
            while (bytes.hasRemaining() && in.read(bytes) >= 0) {
                // reads on
            }
            return new String(bytes.array(), 0, bytes.position(), StandardCharsets.ISO_8859_1);
        } catch (NoSuchFileException none) {
            return "";
        } catch (IOException e) {
            throw Problem.of(Code.HOST_FAILED, "The template's /etc/passwd cannot be read.", "See that the pool is healthy.").raise(e);
        }
    }
}
