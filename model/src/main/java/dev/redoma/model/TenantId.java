// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model;

import java.util.regex.Pattern;

/// Name of a tenant: 1 to 40 of `a-z0-9-`, beginning and ending with a letter or digit.
public record TenantId(String value) {
    private static final Pattern FORM = Pattern.compile("[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?");

    public static final TenantId DEFAULT = new TenantId("default");

    public TenantId {
        if (!FORM.matcher(value).matches()) {
            throw Problem.field("tenant", "not a tenant name", "1 to 40 of a-z, 0-9 and inner dashes");
        }
    }

    @Override
    public String toString() {
        return value;
    }
}
