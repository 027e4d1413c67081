// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Caller;
import dev.redoma.model.wire.Approval;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What waits for humans, and their decisions. Seen with the scope `read` or `approve`, decided with `approve`; always of the caller's tenant alone, but for operators, who see all.
public interface Approvals {

    /// The newest 200, oldest first. `open`: only what is pending or approved and not used. `sandbox` null: of all.
    List<Approval> list(Caller caller, boolean open, @Nullable String sandbox);

    Approval get(Caller caller, String approval);

    /// One person's word, on record with the reason when this returns. Refused where that person asked for it, or the key was made by who asked; `wrong-state` where it is decided, expired or cancelled already.
    Approval decide(Caller caller, String approval, boolean approve, String reason);

    /// Who is behind a key. Thread-safe.
    interface Persons {
        /// The person that a key belongs to; a program's belongs to none.
        java.util.Optional<String> person(String key);

        /// The key by which a key's value was made.
        java.util.Optional<String> issuer(String key);

        /// Whether this person's word still counts: not that of one who was disabled, or has another role now.
        boolean decides(String person);

        /// Whose id this is, of a person or a key that holds: their tenant, and all that keys of theirs may do. Empty for anything else.
        default java.util.Optional<Holder> holder(String id) {
            return java.util.Optional.empty();
        }

        /// A person or a key.
        record Holder(dev.redoma.model.TenantId tenant, java.util.Set<dev.redoma.model.Scope> scopes) {}

        /// Nobody is known: nothing can be approved.
        Persons NOBODY = new Persons() {
            @Override
            public java.util.Optional<String> person(String key) {
                return java.util.Optional.empty();
            }

            @Override
            public java.util.Optional<String> issuer(String key) {
                return java.util.Optional.empty();
            }

            @Override
            public boolean decides(String person) {
                return false;
            }
        };
    }

    /// `hold`: how long a call waits for a decision before it is told that one is pending; `egressHold`: the same of a connection out of a sandbox. `told`: hears, after it is durable, of each request and of each change of one; must not block.
    record Settings(Persons persons, java.time.Duration hold, java.time.Duration egressHold, java.util.function.Consumer<Approval> told) {
        public static final Settings NOBODY = new Settings(Persons.NOBODY, java.time.Duration.ofSeconds(3), java.time.Duration.ofSeconds(20), approval -> { });
    }
}
