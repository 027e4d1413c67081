// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server.config;

import dev.redoma.model.Problem;
import java.net.URI;
import java.net.URISyntaxException;

/// A web address that an operator names for the server to tell something to.
final class WebAddress {
    private WebAddress() {}

    /// `plain`: without TLS as well, which the key `allowing` allows. `unfit`: what is said of one that cannot be taken.
    static URI of(String text, ConfigKey key, boolean plain, ConfigKey allowing, String unfit) {
        try {
            var to = new URI(text);
            boolean web = "https".equals(to.getScheme()) || plain && "http".equals(to.getScheme());
            if (web && to.getHost() != null && to.getUserInfo() == null && to.getFragment() == null) {
                return to;
            }
        } catch (URISyntaxException malformed) {
            // refused below
        }
        throw Problem.field(key.path(), unfit, "https://HOST[:PORT]/PATH (http only with " + allowing.path() + "), without a login in it");
    }
}
