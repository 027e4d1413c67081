// SPDX-License-Identifier: Apache-2.0
package dev.redoma.client;

import dev.redoma.model.wire.CreateSandbox;
import dev.redoma.model.wire.Limits;
import dev.redoma.model.wire.NewWorkspace;
import dev.redoma.model.wire.Redact;
import dev.redoma.model.wire.VolumeMount;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// What a sandbox to be created should be. Immutable; each method returns a changed copy; what is not said is the server's default.
public record NewSandbox(CreateSandbox wire) {

    /// From the server's default template.
    public static NewSandbox any() {
        return new NewSandbox(new CreateSandbox(null, null, null, null, null, null, null, null, null, null, null, null));
    }

    public static NewSandbox from(String template) {
        return any().template(template);
    }

    public NewSandbox template(@Nullable String template) {
        return with(template, wire.name(), wire.labels(), wire.env(), wire.limits(), wire.getOrCreate());
    }

    public NewSandbox named(@Nullable String name) {
        return with(wire.template(), name, wire.labels(), wire.env(), wire.limits(), wire.getOrCreate());
    }

    /// The sandbox of this name if it is there, else a new one.
    public NewSandbox getOrCreate(String name) {
        return with(wire.template(), name, wire.labels(), wire.env(), wire.limits(), true);
    }

    public NewSandbox label(String name, String value) {
        return with(wire.template(), wire.name(), plus(wire.labels(), name, value), wire.env(), wire.limits(), wire.getOrCreate());
    }

    public NewSandbox env(String name, String value) {
        return with(wire.template(), wire.name(), wire.labels(), plus(wire.env(), name, value), wire.limits(), wire.getOrCreate());
    }

    public NewSandbox limits(Limits limits) {
        return with(wire.template(), wire.name(), wire.labels(), wire.env(), limits, wire.getOrCreate());
    }

    /// Under a policy: `none`, `packages`, `internet`, or the text of a policy file.
    public NewSandbox policy(String policy) {
        var w = wire;
        return new NewSandbox(new CreateSandbox(w.template(), w.name(), w.labels(), w.env(), w.limits(), w.isolation(), w.privileges(), policy, w.reopen(), w.onTimeout(),
                w.getOrCreate(), w.untrusted(), w.volumes(), w.caches(), w.workspace(), w.artifacts(), w.redact()));
    }

    /// A value that is masked in output, records, exports and messages, under a name by which records speak of it.
    public NewSandbox redact(String name, String value) {
        return redact(new Redact(plus(wire.redact() == null ? null : wire.redact().values(), name, value), wire.redact() == null ? null : wire.redact().tokens()));
    }

    /// All values that are masked, and whether what looks like a token is.
    public NewSandbox redact(Redact redact) {
        var w = wire;
        return new NewSandbox(new CreateSandbox(w.template(), w.name(), w.labels(), w.env(), w.limits(), w.isolation(), w.privileges(), w.policy(), w.reopen(), w.onTimeout(),
                w.getOrCreate(), w.untrusted(), w.volumes(), w.caches(), w.workspace(), w.artifacts(), redact));
    }

    /// With a volume at a path of its own.
    public NewSandbox volume(String volume, String path, boolean readOnly) {
        return with(plus(wire.volumes(), new VolumeMount(volume, path, readOnly)), wire.caches(), wire.workspace());
    }

    /// With a private copy of a package cache, such as `pip`.
    public NewSandbox cache(String name) {
        return with(wire.volumes(), plus(wire.caches(), name), wire.workspace());
    }

    /// With what `from` (`git:URL#REF`) names in its workspace.
    public NewSandbox workspace(String from) {
        return with(wire.volumes(), wire.caches(), new NewWorkspace(from, null));
    }

    /// Files that match are kept when it ends, however it ends: patterns such as `reports/**` or `*.png`.
    public NewSandbox artifacts(List<String> patterns) {
        var w = wire;
        return new NewSandbox(new CreateSandbox(w.template(), w.name(), w.labels(), w.env(), w.limits(), w.isolation(), w.privileges(), w.policy(), w.reopen(), w.onTimeout(),
                w.getOrCreate(), w.untrusted(), w.volumes(), w.caches(), w.workspace(), patterns));
    }

    private NewSandbox with(@Nullable String template, @Nullable String name, @Nullable Map<String, String> labels, @Nullable Map<String, String> env,
            @Nullable Limits limits, @Nullable Boolean getOrCreate) {
        var w = wire;
        return new NewSandbox(new CreateSandbox(template, name, labels, env, limits, w.isolation(), w.privileges(), w.policy(), w.reopen(), w.onTimeout(),
                getOrCreate, w.untrusted(), w.volumes(), w.caches(), w.workspace(), w.artifacts(), w.redact()));
    }

    private NewSandbox with(@Nullable List<VolumeMount> volumes, @Nullable List<String> caches, @Nullable NewWorkspace workspace) {
        var w = wire;
        return new NewSandbox(new CreateSandbox(w.template(), w.name(), w.labels(), w.env(), w.limits(), w.isolation(), w.privileges(), w.policy(),
                w.reopen(), w.onTimeout(), w.getOrCreate(), w.untrusted(), volumes, caches, workspace, w.artifacts(), w.redact()));
    }

    private static Map<String, String> plus(@Nullable Map<String, String> old, String name, String value) {
        var more = old == null ? new TreeMap<String, String>() : new TreeMap<>(old);
        more.put(name, value);
        return more;
    }

    private static <T> List<T> plus(@Nullable List<T> old, T value) {
        var more = old == null ? new ArrayList<T>() : new ArrayList<>(old);
        more.add(value);
        return more;
    }
}
