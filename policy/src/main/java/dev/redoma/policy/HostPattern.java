// SPDX-License-Identifier: Apache-2.0
package dev.redoma.policy;

import java.util.Optional;

/// Which hosts a rule speaks of: one name, everything below a name (not the name itself), or every host.
public sealed interface HostPattern {

    boolean matches(HostName host);

    /// Every host that `other` matches is matched by this one.
    boolean covers(HostPattern other);

    /// The more, the more specific.
    int weight();

    /// Empty: it is none.
    static Optional<HostPattern> parse(String text) {
        if (text.equals("*")) {
            return Optional.of(new Any());
        }
        return text.startsWith("*.") ? HostName.parse(text.substring(2)).map(Below::new) : HostName.parse(text).map(Exact::new);
    }

    record Exact(HostName name) implements HostPattern {
        @Override
        public boolean matches(HostName host) {
            return host.equals(name);
        }

        @Override
        public boolean covers(HostPattern other) {
            return equals(other);
        }

        @Override
        public int weight() {
            return 1000;
        }

        @Override
        public String toString() {
            return name.ascii();
        }
    }

    record Below(HostName suffix) implements HostPattern {
        @Override
        public boolean matches(HostName host) {
            int dot = host.ascii().length() - suffix.ascii().length() - 1;
            return dot >= 0 && host.ascii().charAt(dot) == '.' && host.ascii().endsWith(suffix.ascii());
        }

        @Override
        public boolean covers(HostPattern other) {
            return switch (other) {
                case Exact exact -> matches(exact.name());
                case Below below -> below.suffix().equals(suffix) || matches(below.suffix());
                case Any any -> false;
            };
        }

        @Override
        public int weight() {
            return suffix.ascii().length();
        }

        @Override
        public String toString() {
            return "*." + suffix.ascii();
        }
    }

    record Any() implements HostPattern {
        @Override
        public boolean matches(HostName host) {
            return true;
        }

        @Override
        public boolean covers(HostPattern other) {
            return true;
        }

        @Override
        public int weight() {
            return 0;
        }

        @Override
        public String toString() {
            return "*";
        }
    }
}
