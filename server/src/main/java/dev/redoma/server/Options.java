// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import dev.redoma.model.Problem;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The command line of the server. `home` holds the guest's binaries (a checkout or an installation).
public record Options(Path dataDir, Path runDir, Path home, @Nullable String listen, @Nullable Path config, @Nullable Path profile) {
    static final String USAGE = "--data DIR, --run DIR, --home DIR, --listen HOST:PORT, --config FILE, --profile FILE";

    static Options parse(List<String> arguments) {
        Path data = Path.of("/var/lib/redoma");
        Path run = Path.of("/run/redoma");
        Path home = Path.of(System.getProperty("redoma.home", "."));
        String listen = null;
        Path config = null;
        Path profile = null;
        for (int i = 0; i < arguments.size(); i += 2) {
            var value = i + 1 < arguments.size() ? arguments.get(i + 1) : "";
            if (value.isEmpty()) {
                throw Problem.field(arguments.get(i), "has no value", USAGE);
            }
            switch (arguments.get(i)) {
                case "--data" -> data = Path.of(value);
                case "--run" -> run = Path.of(value);
                case "--home" -> home = Path.of(value);
                case "--listen" -> listen = value;
                case "--config" -> config = Path.of(value);
                case "--profile" -> profile = Path.of(value);
                default -> throw Problem.field(arguments.get(i), "is not known", USAGE);
            }
        }
        return new Options(data.toAbsolutePath(), run.toAbsolutePath(), home.toAbsolutePath(), listen, config, profile);
    }

    Path guestBinary(String name) {
        return home.resolve("guest/target/dist").resolve(name);
    }
}
