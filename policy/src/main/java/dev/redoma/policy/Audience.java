// SPDX-License-Identifier: Apache-2.0
package dev.redoma.policy;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/// To whom a port is exposed, the narrowest first: those with a key of the sandbox's tenant, who are on record; whoever has a token, which can be handed on; anybody.
public enum Audience {
    TENANT, TOKEN, PUBLIC;

    public String wire() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static Optional<Audience> of(String text) {
        return Arrays.stream(values()).filter(a -> a.wire().equals(text)).findFirst();
    }

    public boolean within(Audience most) {
        return compareTo(most) <= 0;
    }
}
