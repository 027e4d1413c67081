// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.model.wire.VolumeMount;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// Volumes of a new sandbox.
final class VolumeFlags {
    @Option(names = "--volume", paramLabel = "NAME:PATH[:ro]", description = "A volume at a path of the sandbox, to write to or only to read; repeatable.")
    List<String> volumes = List.of();

    @Nullable List<VolumeMount> volumes() {
        return volumes.isEmpty() ? null : volumes.stream().map(VolumeFlags::parse).toList();
    }

    private static VolumeMount parse(String text) {
        boolean readOnly = text.endsWith(":ro");
        var rest = readOnly ? text.substring(0, text.length() - 3) : text.endsWith(":rw") ? text.substring(0, text.length() - 3) : text;
        int colon = rest.indexOf(':');
        if (colon <= 0 || !rest.startsWith("/", colon + 1)) {
            throw new Failed(Exit.USAGE, "'" + text + "' is not of the form NAME:PATH or NAME:PATH:ro", "Write the volume's name, a colon and an absolute path.");
        }
        return new VolumeMount(rest.substring(0, colon), rest.substring(colon + 1), readOnly);
    }
}
