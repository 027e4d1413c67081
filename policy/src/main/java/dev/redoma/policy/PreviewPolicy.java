// SPDX-License-Identifier: Apache-2.0
package dev.redoma.policy;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// What may be exposed of a sandbox: documents, the outermost first, each of which has to allow it. One that says nothing of previews leaves what a key may do to those who have keys: any port, to the audience `token` or a narrower
/// one. Nobody is `public` that each document does not name.
public record PreviewPolicy(List<Layer> layers) {
    /// Nothing.
    public static final PreviewPolicy CLOSED = new PreviewPolicy(List.of(new Layer("policy", "cannot be read", List.of())));

    public PreviewPolicy {
        layers = List.copyOf(layers);
    }

    /// `rules` null: the document says nothing of previews.
    public record Layer(String layer, String source, @Nullable List<PreviewRule> rules) {

        Decision decide(int port, Audience audience) {
            var present = rules;
            if (present == null) {
                return audience == Audience.PUBLIC ? new Refused(layer, null, "the " + layer + " (" + source + ") says nothing of previews, and public is only what is named.", true) : new Allowed(null);
            }
            var speaking = present.stream().filter(r -> r.ports().has(port)).toList();
            if (speaking.isEmpty()) {
                return new Refused(layer, null, "no rule of the " + layer + " (" + source + ") lets that port be exposed.", false);
            }
            var allowing = speaking.stream().filter(r -> audience.within(r.audience())).toList();
            if (allowing.isEmpty()) {
                var first = speaking.getFirst();
                return new Refused(layer, first.id(), first.place() + ": " + first.id() + ": it lets it be exposed to the audience " + first.audience().wire() + " at most.", true);
            }
            return new Allowed(allowing.stream().anyMatch(r -> r.ttl() == null) ? null : allowing.stream().map(PreviewRule::ttl).filter(Objects::nonNull).max(Duration::compareTo).orElse(null));
        }
    }

    public sealed interface Decision {
        /// Whether it may be exposed for that long.
        boolean allows(Duration time);
    }

    /// `most`: null where no document bounds the time.
    public record Allowed(@Nullable Duration most) implements Decision {
        @Override
        public boolean allows(Duration time) {
            return most == null || time.compareTo(most) <= 0;
        }
    }

    /// `rule`: that speaks of the port and allows less. `ofAudience`: another audience might be allowed.
    public record Refused(String layer, @Nullable String rule, String why, boolean ofAudience) implements Decision {
        @Override
        public boolean allows(Duration time) {
            return false;
        }
    }

    /// The innermost that refuses is told.
    public Decision decide(int port, Audience audience) {
        @Nullable Duration most = null;
        for (Layer layer : layers.reversed()) {
            switch (layer.decide(port, audience)) {
                case Refused refused -> {
                    return refused;
                }
                case Allowed allowed -> most = most == null || allowed.most() != null && allowed.most().compareTo(most) < 0 ? allowed.most() : most;
            }
        }
        return new Allowed(most);
    }

    /// Whether those documents that say something of previews leave it, whoever else is silent.
    public boolean leaves(int port, Audience audience) {
        return layers.stream().allMatch(l -> l.rules() == null || l.decide(port, audience) instanceof Allowed);
    }
}
