// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.RedomaClient;
import dev.redoma.client.SandboxHandle;
import java.util.regex.Pattern;

/// A sandbox as the user names it: by its id or its name.
final class SandboxName {
    private static final Pattern FORM = Pattern.compile("[A-Za-z0-9_-]{1,64}");

    private SandboxName() {}

    /// Refuses what can be neither, before it becomes part of an address.
    static SandboxHandle in(RedomaClient client, String text) {
        if (!FORM.matcher(text).matches()) {
            throw new Failed(Exit.USAGE, "'" + Text.safe(text) + "' is neither the id nor the name of a sandbox.", "See 'redoma list' for those that are there.");
        }
        return client.sandbox(text);
    }
}
