// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// The bytes of this process's arguments. Java makes U+FFFD of what is not UTF-8, without a word: another command than the one that was given.
final class RawArguments {
    private RawArguments() {}

    /// Refuses them by their place, counted from 1; `count`: how many of the last are the user's.
    static void requireText(byte[] commandLine, int count) {
        var all = split(commandLine);
        var ours = all.subList(Math.max(0, all.size() - count), all.size());
        for (int i = 0; i < ours.size(); i++) {
            if (!text(ours.get(i))) {
                throw new Failed(Exit.USAGE, "Argument " + (i + 1) + " is not UTF-8: " + shown(ours.get(i)),
                        "Arguments and variables are text here; put other bytes into a file (redoma cp) or on stdin (-i).");
            }
        }
    }

    static byte[] ofThisProcess() throws IOException {
        return Files.readAllBytes(Path.of("/proc/self/cmdline"));
    }

    private static List<byte[]> split(byte[] commandLine) {
        var all = new ArrayList<byte[]>();
        for (int from = 0, i = 0; i < commandLine.length; i++) {
            if (commandLine[i] == 0) {
                all.add(java.util.Arrays.copyOfRange(commandLine, from, i));
                from = i + 1;
            }
        }
        return all;
    }

    private static boolean text(byte[] bytes) {
        try {
            StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
            return true;
        } catch (CharacterCodingException other) {
            return false;
        }
    }

    private static String shown(byte[] bytes) {
        var text = new StringBuilder("'");
        for (int i = 0; i < Math.min(bytes.length, 60); i++) {
            text.append(bytes[i] >= ' ' && bytes[i] < 127 ? String.valueOf((char) bytes[i]) : "\\x" + java.util.HexFormat.of().toHexDigits(bytes[i]));
        }
        return text.append(bytes.length > 60 ? "…'" : "'").toString();
    }
}
