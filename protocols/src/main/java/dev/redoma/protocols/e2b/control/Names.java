// SPDX-License-Identifier: Apache-2.0
package dev.redoma.protocols.e2b.control;

import dev.redoma.model.Caller;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;

/// Names of templates and sandboxes, between the clients' way and the house's.
final class Names {
    /// What the vendor calls the tag that a bare name means.
    static final String DEFAULT_TAG = "default";

    private static final String OUR_DEFAULT_TAG = "latest";

    private Names() {}

    /// `alias`, `alias:tag`, `namespace/alias:tag` or an id, as the engine's reference. The one namespace there is, is the caller's tenant.
    static String reference(Caller caller, String wanted) {
        int slash = wanted.indexOf('/');
        if (slash >= 0 && !wanted.substring(0, slash).equals(caller.tenant().value())) {
            throw Problem.of(Code.TEMPLATE_NOT_FOUND, "template '" + shown(wanted) + "' not found.", "Templates have no namespace but your tenant's.").with("field", "templateID").raise();
        }
        var bare = wanted.substring(slash + 1);
        int colon = bare.indexOf(':');
        return colon < 0 || bare.startsWith("sha256:") ? bare : bare.substring(0, colon + 1) + tag(bare.substring(colon + 1));
    }

    static String tag(String theirs) {
        return theirs.equals(DEFAULT_TAG) ? OUR_DEFAULT_TAG : theirs;
    }

    static String theirs(String tag) {
        return tag.equals(OUR_DEFAULT_TAG) ? DEFAULT_TAG : tag;
    }

    /// The old form `<id>-<client id>` is taken, and cut.
    static String sandbox(String wanted) {
        int dash = wanted.indexOf('-');
        return dash == 20 ? wanted.substring(0, dash) : wanted;
    }

    static String shown(String text) {
        return (text.length() > 80 ? text.substring(0, 80) + "…" : text).replaceAll("\\p{Cntrl}", "?");
    }
}
