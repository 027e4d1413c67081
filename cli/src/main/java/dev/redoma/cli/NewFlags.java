// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.model.wire.CreateSandbox;
import dev.redoma.model.wire.NewWorkspace;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// What a new sandbox should be.
final class NewFlags {
    @Option(names = "--template", paramLabel = "NAME", description = "Template, version digest or snapshot to start from.")
    @Nullable String template;

    @Option(names = "--name", description = "A name of its own within the tenant.")
    @Nullable String name;

    @Option(names = "--label", paramLabel = "NAME=VALUE", description = "A label; repeatable.")
    Map<String, String> labels = Map.of();

    @Option(names = "--isolation", paramLabel = "TIER", description = "Least isolation: container, gvisor, microvm, vm.")
    @Nullable String isolation;

    @Option(names = "--privileges", paramLabel = "KIND", description = "sudo or none.")
    @Nullable String privileges;

    @Option(names = "--policy", paramLabel = "NAME|FILE", description = "Policy in force: none, packages, internet, or a policy file.")
    @Nullable String policy;

    @Option(names = "--reopen", paramLabel = "WHO", description = "Who may resume or connect: creator, tenant, none.")
    @Nullable String reopen;

    @Option(names = "--on-timeout", paramLabel = "WHAT", description = "At the end of its time: kill, stop, pause, or sleep (paused until it is used).")
    @Nullable String onTimeout;

    @Option(names = "--cache", paramLabel = "NAME", description = "A private copy of a package cache, such as pip or npm; repeatable.")
    List<String> caches = List.of();

    @Option(names = "--artifact", paramLabel = "PATTERN", description = "Keep files that match when it ends, such as 'reports/**' or '*.png'; repeatable.")
    List<String> artifacts = List.of();

    @Mixin
    VolumeFlags volumes = new VolumeFlags();

    @Mixin
    RedactFlags redact = new RedactFlags();

    @Mixin
    LimitFlags limits = new LimitFlags();

    /// `workspace`: `git:URL#REF`.
    CreateSandbox request(@Nullable Map<String, String> env, @Nullable Boolean getOrCreate, @Nullable String source) {
        var workspace = source == null ? null : new NewWorkspace(source, null);
        return new CreateSandbox(template, name, labels.isEmpty() ? null : labels, env, limits.limits(), isolation, privileges, policy == null ? null : PolicyWord.text(policy), reopen, onTimeout,
                getOrCreate, null, volumes.volumes(),
                caches.isEmpty() ? null : caches, workspace, artifacts.isEmpty() ? null : artifacts, redact.redact());
    }
}
