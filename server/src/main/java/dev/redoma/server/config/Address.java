// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server.config;

import dev.redoma.model.Problem;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.regex.Pattern;

/// A host and a port to listen on. Text form: `host:port`, with brackets around an IPv6 address.
public record Address(String host, int port) {
    private static final Pattern FORM = Pattern.compile("(?:\\[([0-9A-Fa-f:.]+)]|([^:\\[\\]]+)):(\\d{1,5})");

    static Address parse(String field, String text) {
        var m = FORM.matcher(text.strip());
        if (!m.matches() || Integer.parseInt(m.group(3)) > 65_535) {
            throw Problem.field(field, "'" + text + "' is no address", "it as host:port, e.g. 127.0.0.1:7800");
        }
        return new Address(m.group(1) == null ? m.group(2) : m.group(1), Integer.parseInt(m.group(3)));
    }

    /// True if every address of this host is a loopback one.
    boolean loopback() {
        try {
            for (var address : InetAddress.getAllByName(host)) {
                if (!address.isLoopbackAddress()) {
                    return false;
                }
            }
            return true;
        } catch (UnknownHostException unknown) {
            return false;
        }
    }
}
