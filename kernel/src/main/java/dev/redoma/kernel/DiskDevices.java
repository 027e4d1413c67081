// SPDX-License-Identifier: Apache-2.0
package dev.redoma.kernel;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// The block devices that carry a file system, as cgroups name them: `major:minor` of whole disks, never of a partition.
public final class DiskDevices {
    private static final Path BTRFS = Path.of("/sys/fs/btrfs");
    private static final Path BY_NUMBER = Path.of("/sys/dev/block");

    private DiskDevices() {}

    /// Empty if the kernel does not tell each of those below the file system of this directory (a network's, for instance).
    public static List<String> under(Path directory) {
        try (var dir = Dir.open(directory)) {
            var disks = FsStat.of(dir.fd()).type() == FsStat.BTRFS ? membersOf(Btrfs.uuid(dir)) : Stream.of(BY_NUMBER.resolve(volume(dir)));
            var found = disks.map(DiskDevices::whole).distinct().toList();
            return found.stream().allMatch(Optional::isPresent) ? found.stream().flatMap(Optional::stream).sorted().toList() : List.of();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String volume(Dir dir) {
        var volume = dir.stat(".").volume();
        return volume.major() + ":" + volume.minor();
    }

    private static Stream<Path> membersOf(String uuid) throws IOException {
        try (var all = Files.list(BTRFS.resolve(uuid).resolve("devices"))) {
            return all.toList().stream();
        }
    }

    /// A partition's directory lies in that of its disk.
    private static Optional<String> whole(Path device) {
        try {
            var real = device.toRealPath();
            var parent = Files.exists(real.resolve("partition")) ? real.getParent() : real;
            return Optional.of(Files.readString((parent == null ? real : parent).resolve("dev")).strip());
        } catch (java.nio.file.NoSuchFileException none) {
            return Optional.empty();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
