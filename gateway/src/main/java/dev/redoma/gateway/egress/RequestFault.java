// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import java.util.Optional;

/// What no request must be, whatever rules say. `wire`: as in records and answers; `text`: a clause for a human.
enum RequestFault {
    MALFORMED("request-malformed", "it is no request that can be read in one way only"),
    FIELDS("request-malformed", "it has more than 256 fields"),
    LENGTH("request-malformed", "its body is not as long as it says"),
    METHOD("request-malformed", "its method is longer than 32 characters"),
    METHOD_FORM("request-malformed", "its method has characters that no method has"),
    CONNECT("connect", "it asks for a tunnel (CONNECT), and none is made here"),
    TARGET("target", "its target has characters that have to be escaped there"),
    ABSOLUTE_FORM("absolute-form", "its target is no path: it may not name a host of its own"),
    HOST_MISMATCH("host-mismatch", "it does not say, in one Host, that it is for the host that its connection is for"),
    UPGRADE("upgrade", "it asks for a change to another protocol, and WebSocket inside of TLS is the only one that there is"),
    PLAIN_UPGRADE("upgrade", "it asks for a change to another protocol, and without TLS there is none");

    private static final int MOST_FIELDS = 256;
    private static final String MARKS = "!#$%&'*+-.^_`|~";

    private final String wire;
    private final String text;

    RequestFault(String wire, String text) {
        this.wire = wire;
        this.text = text;
    }

    String wire() {
        return wire;
    }

    String text() {
        return text;
    }

    /// Inside of TLS.
    static Optional<RequestFault> of(RequestHead head, Site site) {
        return of(head, site, head.has("upgrade") && !WebSockets.asked(head) ? Optional.of(UPGRADE) : Optional.empty());
    }

    static Optional<RequestFault> ofPlain(RequestHead head, Site site) {
        return of(head, site, head.has("upgrade") ? Optional.of(PLAIN_UPGRADE) : Optional.empty());
    }

    private static Optional<RequestFault> of(RequestHead head, Site site, Optional<RequestFault> upgrade) {
        Optional<RequestFault> fault = form(head);
        if (fault.isPresent()) {
            return fault;
        }
        var hosts = head.all("host");
        return hosts.size() == 1 && site.isMeantBy(hosts.getFirst()) ? upgrade : Optional.of(HOST_MISMATCH);
    }

    private static Optional<RequestFault> form(RequestHead head) {
        if (head.method().equalsIgnoreCase("CONNECT")) {
            return Optional.of(CONNECT);
        }
        if (head.method().length() > Fact.LONGEST_METHOD) {
            return Optional.of(METHOD);
        }
        if (!head.method().chars().allMatch(RequestFault::ofMethods)) {
            return Optional.of(METHOD_FORM); // HTTP/2 carries any, and whoever writes it as HTTP/1.1 writes another request line
        }
        if (head.fields().size() > MOST_FIELDS) {
            return Optional.of(FIELDS);
        }
        if (head.target().chars().anyMatch(c -> c <= ' ' || c > '~' || c == '#')) {
            return Optional.of(TARGET); // what others read as other characters
        }
        boolean path = head.target().startsWith("/") || head.target().equals("*") && head.method().equals("OPTIONS");
        return path ? Optional.empty() : Optional.of(ABSOLUTE_FORM);
    }

    private static boolean ofMethods(int c) {
        return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || MARKS.indexOf(c) >= 0;
    }
}
