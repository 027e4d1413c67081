// SPDX-License-Identifier: Apache-2.0
package dev.redoma.tiers.oci;

import dev.redoma.engine.InstanceLimits;
import dev.redoma.engine.InstanceSpec;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import tools.jackson.databind.json.JsonMapper;

/// An instance's directory under the run directory: what the runtime reads, the files that lie over the kernel's readings, and
/// `pid`, by which the instance is found again.
record Bundle(Path dir) {
    private static final JsonMapper JSON = new JsonMapper();

    String name() {
        return String.valueOf(dir.getFileName());
    }

    void write(InstanceSpec spec, Map<String, Object> config, List<Integer> cpus) {
        try {
            Files.createDirectory(dir);
            Files.write(dir.resolve("config.json"), JSON.writeValueAsBytes(config));
            Files.writeString(dir.resolve("boot_id"), spec.bootId() + "\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        readings(spec.limits(), cpus);
    }

    /// Written in place: the files are bound into a running sandbox.
    void readings(InstanceLimits limits, List<Integer> cpus) {
        try {
            Files.writeString(dir.resolve("cpuinfo"), HostFiles.cpuinfo(cpus));
            Files.writeString(dir.resolve("online"), HostFiles.online(cpus.size()));
            Files.writeString(dir.resolve("meminfo"), HostFiles.meminfo(limits.memoryBytes()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Optional<Integer> pid() {
        return text("pid").map(String::strip).filter(t -> t.matches("\\d{1,9}")).map(Integer::valueOf);
    }

    void disk(Path upper) {
        try {
            Files.createSymbolicLink(dir.resolve("disk"), upper);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Where the instance writes on the host; told only where its bandwidth can be limited.
    Optional<Path> disk() {
        try {
            return Optional.of(Files.readSymbolicLink(dir.resolve("disk")));
        } catch (java.nio.file.NoSuchFileException none) {
            return Optional.empty();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// What the runtime said about its failure.
    Optional<String> log() {
        return text("log").map(String::strip).filter(t -> !t.isEmpty());
    }

    private Optional<String> text(String file) {
        try {
            return Optional.of(Files.readString(dir.resolve(file)));
        } catch (java.nio.file.NoSuchFileException none) {
            return Optional.empty();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    boolean exists() {
        return Files.isDirectory(dir);
    }

    /// Idempotent. Only files of our own lie in it.
    void delete() {
        try (Stream<Path> files = Files.list(dir)) {
            for (var file : files.toList()) {
                Files.deleteIfExists(file);
            }
            Files.deleteIfExists(dir);
        } catch (java.nio.file.NoSuchFileException gone) {
            return;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
