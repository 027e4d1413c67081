// SPDX-License-Identifier: Apache-2.0
package dev.redoma.client;

import dev.redoma.model.wire.CreateSandbox;
import dev.redoma.model.wire.Limits;
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
        var w = wire;
        return new NewSandbox(new CreateSandbox(template, w.name(), w.labels(), w.env(), w.limits(), w.isolation(), w.privileges(), w.policy(), w.reopen(), w.onTimeout(), w.getOrCreate(), w.untrusted()));
    }

    public NewSandbox named(@Nullable String name) {
        var w = wire;
        return new NewSandbox(new CreateSandbox(w.template(), name, w.labels(), w.env(), w.limits(), w.isolation(), w.privileges(), w.policy(), w.reopen(), w.onTimeout(), w.getOrCreate(), w.untrusted()));
    }

    /// The sandbox of this name if it is there, else a new one.
    public NewSandbox getOrCreate(String name) {
        var w = wire;
        return new NewSandbox(new CreateSandbox(w.template(), name, w.labels(), w.env(), w.limits(), w.isolation(), w.privileges(), w.policy(), w.reopen(), w.onTimeout(), true, w.untrusted()));
    }

    public NewSandbox label(String name, String value) {
        var w = wire;
        return new NewSandbox(new CreateSandbox(w.template(), w.name(), plus(w.labels(), name, value), w.env(), w.limits(), w.isolation(), w.privileges(), w.policy(), w.reopen(), w.onTimeout(), w.getOrCreate(), w.untrusted()));
    }

    public NewSandbox env(String name, String value) {
        var w = wire;
        return new NewSandbox(new CreateSandbox(w.template(), w.name(), w.labels(), plus(w.env(), name, value), w.limits(), w.isolation(), w.privileges(), w.policy(), w.reopen(), w.onTimeout(), w.getOrCreate(), w.untrusted()));
    }

    public NewSandbox limits(Limits limits) {
        var w = wire;
        return new NewSandbox(new CreateSandbox(w.template(), w.name(), w.labels(), w.env(), limits, w.isolation(), w.privileges(), w.policy(), w.reopen(), w.onTimeout(), w.getOrCreate(), w.untrusted()));
    }

    private static Map<String, String> plus(@Nullable Map<String, String> old, String name, String value) {
        var more = old == null ? new TreeMap<String, String>() : new TreeMap<>(old);
        more.put(name, value);
        return more;
    }
}
