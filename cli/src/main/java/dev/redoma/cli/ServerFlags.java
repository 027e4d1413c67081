// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// Which server of this host.
final class ServerFlags {
    @Option(names = "--data", paramLabel = "DIR", description = "Its data directory (default: ${DEFAULT-VALUE}).", defaultValue = "/var/lib/redoma")
    Path data = Path.of("/var/lib/redoma");

    @Option(names = "--run", paramLabel = "DIR", description = "Its run files (default: /run/redoma).")
    @Nullable Path run;

    @Option(names = "--config", paramLabel = "FILE", description = "Its configuration, redoma.yaml.")
    @Nullable Path config;

    @Option(names = "--listen", paramLabel = "HOST:PORT", description = "Its address (default: 127.0.0.1:7800).")
    @Nullable String listen;

    List<String> arguments(Path profile) {
        var all = new ArrayList<>(List.of("--data", data.toAbsolutePath().toString(), "--profile", profile.toString()));
        if (run != null) {
            all.addAll(List.of("--run", run.toAbsolutePath().toString()));
        }
        if (config != null) {
            all.addAll(List.of("--config", config.toAbsolutePath().toString()));
        }
        if (listen != null) {
            all.addAll(List.of("--listen", listen));
        }
        return all;
    }

    /// The command that ends it.
    String down() {
        return "./redoma down" + (data.equals(Path.of("/var/lib/redoma")) ? "" : " --data " + data) + (run == null ? "" : " --run " + run);
    }

    Path runDirectory() {
        return run == null ? Path.of("/run/redoma") : run.toAbsolutePath();
    }
}
