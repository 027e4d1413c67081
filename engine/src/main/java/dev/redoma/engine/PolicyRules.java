// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.TenantId;
import dev.redoma.model.wire.PolicySources;
import dev.redoma.policy.EffectivePolicy;
import dev.redoma.policy.Feature;
import dev.redoma.policy.NamedPolicies;
import dev.redoma.policy.PolicyDocument;
import dev.redoma.policy.PolicyFile;
import dev.redoma.policy.PolicyStack;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/// Which policies there are and what they mean here. Thread-safe.
final class PolicyRules {
    /// No source of a stored document: what a request says may be a name.
    private static final String ASKED = "\nasked";

    private final PolicyTexts texts = new PolicyTexts();
    private final PolicySettings settings;
    private final Set<Feature> enforced;
    private final dev.redoma.store.Store store;
    private final Records records;

    PolicyRules(PolicySettings settings, Set<Feature> enforced, dev.redoma.store.Store store, Records records) {
        this.records = records;
        this.settings = settings;
        this.enforced = Set.copyOf(enforced);
        this.store = store;
    }

    /// What a request that says nothing gets: a name or a text.
    String standard() {
        return settings.standard();
    }

    /// What a request asks for (null: the server's own), under the floors. Refused where it cannot be read, has no effect, or asks for what is not enforced here.
    PolicyStack asked(TenantId tenant, @Nullable String asked) {
        return taken(tenant, asked).mustBeEnforced(enforced);
    }

    /// The same, enforced here or not.
    PolicyStack taken(TenantId tenant, @Nullable String asked) {
        String text = asked == null ? settings.standard() : asked;
        PolicyDocument request = texts.read(tenant, "request", ASKED, text, () -> settings.named().read("request", text));
        return under(tenant, name(text, request), request).mustHaveEffect();
    }

    /// One that came as a text is known by what is in it: two sandboxes have the same policy where they have the same name of one.
    private String name(String text, PolicyDocument request) {
        String name = NamedPolicies.nameOf(text);
        return name.equals("custom") ? "custom:" + new PolicyStack(name, List.of(request)).digest().substring(7, 23) : name;
    }

    private PolicyStack under(TenantId tenant, String name, PolicyDocument request) {
        var documents = new ArrayList<PolicyDocument>();
        documents.add(settings.floor());
        PolicyDocument floor = settings.tenants().get(tenant);
        if (floor != null) {
            documents.add(floor);
        }
        documents.add(request);
        return new PolicyStack(name, documents);
    }

    /// What stands for a sandbox now: what it was given, under the floors of today.
    Standing standing(SandboxRow row) {
        return store.read(tx -> PolicyRows.find(tx, row.id())).map(stored -> {
            var request = stored.sources().documents().stream().map(d -> read(row.tenant(), d)).toList().getLast();
            return new Standing(under(row.tenant(), stored.sources().name(), request), stored.epoch(), stored.digest());
        }).orElseGet(() -> nothing(row));
    }

    private Standing nothing(SandboxRow row) {
        if (row.state() == State.ENDED && !row.policy().equals("none")) {
            throw Problem.of(Code.SANDBOX_ENDED, "What its policy said was erased.", "Its name and digest stay on record.").with("sandbox", row.id().value()).raise();
        }
        return new Standing(under(row.tenant(), "none", settings.named().read("request", "none")), 0, null);
    }

    /// As `PolicyStack.of` reads it: refused where this version does not take it.
    private PolicyDocument read(TenantId tenant, PolicySources.Document stored) {
        return texts.read(tenant, stored.layer(), stored.source(), stored.text(), () -> PolicyFile.read(stored.layer(), stored.source(), stored.text()));
    }

    PolicyStack checked(SandboxRow row) {
        return standing(row).stack().mustBeEnforced(enforced);
    }

    /// On record when it returns, for floors may have changed over a restart of the server. Throws where it cannot be read any more, or not recorded: then nothing may leave.
    EffectivePolicy effective(SandboxRow row) {
        if (row.policy().equals("none")) {
            return EffectivePolicy.NONE;
        }
        Standing standing = recorded(row, standing(row));
        return standing.stack().mustBeEnforced(enforced).effective(standing.epoch());
    }

    private Standing recorded(SandboxRow row, Standing standing) {
        PolicyStack stack = standing.stack();
        if (standing.recorded() == null || stack.digest().equals(standing.recorded())) {
            return standing;
        }
        long epoch = standing.epoch() + 1;
        store.write(tx -> {
            PolicyRows.put(tx, row.id(), new PolicyRow(epoch, stack.digest(), stack.sources()));
            records.policy(tx, row, stack, epoch, Records.ENGINE, "floors-changed");
            return true;
        });
        return new Standing(stack, epoch, stack.digest());
    }

    /// `recorded`: the digest of what was recorded last; null: nothing was.
    record Standing(PolicyStack stack, long epoch, @Nullable String recorded) {}

    /// With a sandbox's first row. One that nothing leaves and that demands nothing has none of its own.
    void insert(Handle tx, SandboxRow row, PolicyStack stack, Records records, String actor) {
        if (!stack.name().equals("none")) {
            PolicyRows.put(tx, row.id(), new PolicyRow(1, stack.digest(), stack.sources()));
            records.policy(tx, row, stack, 1, actor, "set");
        }
    }
}
