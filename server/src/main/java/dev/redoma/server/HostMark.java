// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import dev.redoma.http.Json;
import dev.redoma.kernel.ProcessFacts;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// Says on the host where an installation has its directories and which process served it last, so that what a server left can be told from what belongs to nobody of ours, also when its data
/// directory is gone. There from a server's first start until it is uninstalled or the host reboots, which ends all that it speaks of. Only root writes there.
public record HostMark(String installation, String data, String run, int pid, long startTicks) {
    private static final Path PLACE = Path.of("/run/redoma-installations");

    static void write(String installation, Path data, Path run) {
        var self = ProcessFacts.of((int) ProcessHandle.current().pid()).orElseThrow();
        try {
            PrivateFile.write(file(installation), Json.bytes(new HostMark(installation, data.toString(), run.toString(), self.pid(), self.startTicks())));
        } catch (IOException failed) {
            throw Problem.of(Code.HOST_FAILED, "What runs here cannot be noted in " + PLACE + ": " + failed.getMessage(), "Make /run writable for the server.").raise(failed);
        }
    }

    private static Path file(String installation) {
        return PLACE.resolve(installation + ".json");
    }

    static void remove(String installation) {
        try {
            Files.deleteIfExists(file(installation));
            Files.deleteIfExists(PLACE);
        } catch (DirectoryNotEmptyException others) {
            // there are more installations
        } catch (IOException failed) {
            throw Problem.of(Code.HOST_FAILED, file(installation) + " cannot be removed: " + failed.getMessage(), "Remove it.").raise(failed);
        }
    }

    static Optional<HostMark> of(String installation) throws IOException {
        return all().stream().filter(m -> m.installation().equals(installation)).findFirst();
    }

    static List<HostMark> all() throws IOException {
        var found = new ArrayList<HostMark>();
        try (Stream<Path> files = Files.list(PLACE)) {
            for (Path file : files.filter(f -> f.toString().endsWith(".json")).sorted().toList()) {
                try {
                    found.add(Json.read(Files.readAllBytes(file), HostMark.class));
                } catch (NoSuchFileException removedMeanwhile) {
                    // it is no more
                }
            }
        } catch (NoSuchFileException none) {
            return List.of();
        }
        return found;
    }

    /// The process that served it lives.
    boolean served() {
        return ProcessFacts.of(pid).filter(p -> p.alive() && p.startTicks() == startTicks).isPresent();
    }

    Path dataDir() {
        return Path.of(data);
    }

    Path runDir() {
        return Path.of(run);
    }
}
