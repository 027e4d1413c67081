// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Body of `POST /v1/sandboxes`. `getOrCreate` needs a `name`; `onTimeout` is `kill` (default), `stop`, `pause`, or `sleep`: paused, and the next use resumes it. `caches`: names of
/// package caches (such as `pip`) of which it gets private copies.
/// `artifacts`: patterns of files that are kept when it ends, however it ends.
public record CreateSandbox(
        @Nullable String template,
        @Nullable String name,
        @Nullable Map<String, String> labels,
        @Nullable Map<String, String> env,
        @Nullable Limits limits,
        @Nullable String isolation,
        @Nullable String privileges,
        @Nullable String policy,
        @Nullable String reopen,
        @Nullable String onTimeout,
        @Nullable Boolean getOrCreate,
        @Nullable Boolean untrusted,
        @Nullable List<VolumeMount> volumes,
        @Nullable List<String> caches,
        @Nullable NewWorkspace workspace,
        @Nullable List<String> artifacts,
        @Nullable Redact redact) {

    /// Without anything to mask.
    public CreateSandbox(@Nullable String template, @Nullable String name, @Nullable Map<String, String> labels, @Nullable Map<String, String> env,
            @Nullable Limits limits, @Nullable String isolation, @Nullable String privileges, @Nullable String policy, @Nullable String reopen,
            @Nullable String onTimeout, @Nullable Boolean getOrCreate, @Nullable Boolean untrusted, @Nullable List<VolumeMount> volumes,
            @Nullable List<String> caches, @Nullable NewWorkspace workspace, @Nullable List<String> artifacts) {
        this(template, name, labels, env, limits, isolation, privileges, policy, reopen, onTimeout, getOrCreate, untrusted, volumes, caches, workspace, artifacts, null);
    }

    /// Without volumes, caches and workspace.
    public CreateSandbox(@Nullable String template, @Nullable String name, @Nullable Map<String, String> labels, @Nullable Map<String, String> env,
            @Nullable Limits limits, @Nullable String isolation, @Nullable String privileges, @Nullable String policy, @Nullable String reopen,
            @Nullable String onTimeout, @Nullable Boolean getOrCreate, @Nullable Boolean untrusted) {
        this(template, name, labels, env, limits, isolation, privileges, policy, reopen, onTimeout, getOrCreate, untrusted, null, null, null, null);
    }

    /// Without artifacts.
    public CreateSandbox(@Nullable String template, @Nullable String name, @Nullable Map<String, String> labels, @Nullable Map<String, String> env,
            @Nullable Limits limits, @Nullable String isolation, @Nullable String privileges, @Nullable String policy, @Nullable String reopen,
            @Nullable String onTimeout, @Nullable Boolean getOrCreate, @Nullable Boolean untrusted, @Nullable List<VolumeMount> volumes, @Nullable List<String> caches, @Nullable NewWorkspace workspace) {
        this(template, name, labels, env, limits, isolation, privileges, policy, reopen, onTimeout, getOrCreate, untrusted, volumes, caches, workspace, null);
    }
}
