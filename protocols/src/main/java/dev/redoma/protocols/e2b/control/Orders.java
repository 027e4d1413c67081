// SPDX-License-Identifier: Apache-2.0
package dev.redoma.protocols.e2b.control;

import dev.redoma.engine.Policies;
import dev.redoma.model.Caller;
import dev.redoma.model.Problem;
import dev.redoma.model.wire.CreateSandbox;
import dev.redoma.model.wire.Limits;
import dev.redoma.model.wire.VolumeMount;
import dev.redoma.protocols.e2b.Traits;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// From what a client orders to what the engine is asked for; what cannot be had is refused by the name of its field.
record Orders(Settings settings, Policies policies) {

    CreateSandbox of(Caller caller, Requests.NewSandbox r, long otherwise, boolean secured) {
        if (r.mcp() != null) {
            throw Egress.notOffered("mcp", "there is no template with that gateway.", "Leave it out.");
        }
        if (r.iam() != null && !r.iam().isEmpty()) {
            throw Egress.notOffered("iam", "sandboxes are given no tokens of their own.", "Leave it out.");
        }
        if (r.secrets() != null && !r.secrets().isEmpty()) {
            throw Egress.notOffered("secrets", "there is no store of secrets yet.", "Leave it out.");
        }
        var network = r.network();
        boolean open = network == null || !Boolean.FALSE.equals(network.allowPublicTraffic());
        var traits = new Traits(secured || !Boolean.FALSE.equals(r.secure()), open, network == null ? null : network.maskRequestHost(), true);
        if (!open && !traits.secure()) {
            throw Problem.field("network.allowPublicTraffic", "false needs a secured sandbox", "it without secure: false");
        }
        var lifetime = seconds("timeout", r.timeout() == null ? otherwise : r.timeout()).toMillis();
        return new CreateSandbox(Names.reference(caller, r.templateID()), null, labels(r.metadata(), traits), r.envVars(),
                new Limits(null, null, null, null, null, null, null, lifetime, settings.longestIdleMs()), null, null,
                policies.written(caller, Egress.wishes(r.allow_internet_access(), network)), "tenant", onTimeout(r), null, null, mounts(r.volumeMounts()), null, null);
    }

    private static String onTimeout(Requests.NewSandbox r) {
        boolean pauses = Boolean.TRUE.equals(r.autoPause());
        boolean disk = Boolean.FALSE.equals(r.autoPauseMemory());
        if (disk && r.autoResume() != null && r.autoResume().enabled()) {
            throw Problem.field("autoResume", "cannot be with autoPauseMemory: false", "one of them");
        }
        boolean wakes = r.autoResume() != null && r.autoResume().enabled();
        if (wakes && !pauses) {
            throw Egress.notOffered("autoResume", "only what is paused at its end is resumed by its use.", "Send autoPause with it.");
        }
        return !pauses ? "kill" : disk ? "stop" : wakes ? "sleep" : "pause";
    }

    static Map<String, String> labels(@Nullable Map<String, String> metadata, Traits traits) {
        var labels = new LinkedHashMap<String, String>();
        if (metadata != null) {
            metadata.keySet().stream().filter(k -> k.startsWith("redoma.")).findFirst().ifPresent(k -> {
                throw Problem.field("metadata", "names that begin with 'redoma.' are the server's own", "another name");
            });
            labels.putAll(metadata);
        }
        labels.putAll(traits.labels());
        return labels;
    }

    private static @Nullable List<VolumeMount> mounts(@Nullable List<Requests.Mount> mounts) {
        return mounts == null || mounts.isEmpty() ? null : mounts.stream().map(m -> new VolumeMount(m.name(), m.path(), null)).toList();
    }

    /// 1 and more; the engine knows the most.
    static Duration seconds(String field, long seconds) {
        if (seconds < 1 || seconds > Integer.MAX_VALUE) {
            throw Problem.field(field, "'" + seconds + "' cannot be taken", "a whole number of seconds from 1 on");
        }
        return Duration.ofSeconds(seconds);
    }
}
