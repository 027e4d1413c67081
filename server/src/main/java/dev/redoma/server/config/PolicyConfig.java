// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server.config;

import dev.redoma.engine.PolicySettings;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.TenantId;
import dev.redoma.policy.NamedPolicies;
import dev.redoma.policy.PolicyDocument;
import dev.redoma.policy.PolicyFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// The policies that an operator names in `redoma.yaml`. A file that cannot be read keeps the server from starting: without its floor nothing is to run.
final class PolicyConfig {
    private static final String SUFFIX = ".yaml";

    private PolicyConfig() {}

    static PolicySettings of(ConfigValues v) {
        var shipped = PolicySettings.SHIPPED;
        var floor = v.optional(ConfigKey.POLICY_FLOOR);
        var tenants = v.optional(ConfigKey.POLICY_TENANTS);
        var named = new NamedPolicies(registries(v));
        var settings = new PolicySettings(floor == null ? shipped.floor() : read("floor", Path.of(floor)), tenants == null ? Map.of() : tenants(Path.of(tenants)), standard(v, named), named);
        named.read("request", settings.standard()); // a wrong one is told now
        return settings;
    }

    private static String standard(ConfigValues v, NamedPolicies named) {
        String text = v.text(ConfigKey.POLICY_DEFAULT);
        return NamedPolicies.NAMES.contains(text) ? text : read("request", Path.of(text)).text();
    }

    private static PolicyDocument read(String layer, Path file) {
        return PolicyFile.read(layer, file.getFileName().toString(), text(file));
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException unreadable) {
            throw refused(file, unreadable);
        }
    }

    private static RuntimeException refused(Path file, IOException why) {
        return Problem.of(Code.INVALID_FIELD, "The policy " + file + " cannot be read: " + why.getMessage(), "Name readable files under 'policy' in redoma.yaml.").with("field", "policy").raise(why);
    }

    private static Map<TenantId, PolicyDocument> tenants(Path directory) {
        var floors = new HashMap<TenantId, PolicyDocument>();
        try (var files = Files.list(directory)) {
            files.filter(f -> f.getFileName().toString().endsWith(SUFFIX)).sorted().forEach(f -> {
                String name = f.getFileName().toString();
                floors.put(new TenantId(name.substring(0, name.length() - SUFFIX.length())), read("tenant", f));
            });
        } catch (IOException unreadable) {
            throw refused(directory, unreadable);
        }
        return floors;
    }

    private static List<String> registries(ConfigValues v) {
        String given = v.optional(ConfigKey.POLICY_REGISTRIES);
        return given == null ? List.of()
                : Arrays.stream(given.split(",")).map(String::strip).filter(s -> !s.isEmpty()).peek(PolicyConfig::host).toList();
    }

    private static void host(String text) {
        if (!RegistryEntries.isHost(text)) {
            throw Problem.field(ConfigKey.POLICY_REGISTRIES.path(), "'" + text + "' is no host", "HOST or HOST:PORT in lower case, with commas between");
        }
    }
}
