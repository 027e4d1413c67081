// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import static dev.redoma.server.EgressCase.web;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// Requests without TLS that say another thing than their connection is for, or two things at once.
final class EgressHttpCases {
    private static final String HOST = "Host: {h}.allowed.test\\n";
    private static final String KNOWN = "dns {h}.allowed.test -";

    private EgressHttpCases() {}

    static List<EgressCase> all() {
        var all = new ArrayList<EgressCase>();
        for (String request : List.of("GET / HTTP/1.1\\nHost: denied.test\\n\\n", "GET / HTTP/1.1\\n\\n", "GET / HTTP/1.1\\n" + HOST + "Host: denied.test\\n\\n", "GET / HTTP/1.1\\nHost: denied.test\\n" + HOST + "\\n",
                "GET / HTTP/1.1\\n" + HOST + HOST + "\\n", "GET / HTTP/1.1\\nHost: {h}.allowed.test:8080\\n\\n", "GET / HTTP/1.1\\nHost: {h}.allowed.test@denied.test\\n\\n", "GET / HTTP/1.1\\nHost: {h}.allowed.test, denied.test\\n\\n",
                "GET http://denied.test/ HTTP/1.1\\n" + HOST + "\\n", "GET http://{h}.allowed.test/ HTTP/1.1\\n" + HOST + "\\n", "GET //denied.test/ HTTP/1.1\\nHost: denied.test\\n\\n", "CONNECT denied.test:443 HTTP/1.1\\n" + HOST + "\\n",
                "CONNECT {h}.allowed.test:443 HTTP/1.1\\n" + HOST + "\\n", "GET / HTTP/1.1\\n" + HOST + "Upgrade: websocket\\nConnection: upgrade\\n\\n", "GET / HTTP/1.1\\n" + HOST + "Upgrade: h2c\\nConnection: upgrade, http2-settings\\n\\n",
                "PRI * HTTP/2.0\\n\\nSM\\n\\n", "GET / HTTP/0.9\\n\\n", "GET /\\n", "GET / HTTP/1.1\\n Host: denied.test\\n" + HOST + "\\n", "GET / HTTP/1.1\\n" + HOST + "X: 1\\n 2\\n\\n", "GET / HTTP/1.1\\nHost : {h}.allowed.test\\n\\n",
                "POST / HTTP/1.1\\n" + HOST + "Content-Length: 5\\nTransfer-Encoding: chunked\\n\\n0\\n\\n", "POST / HTTP/1.1\\n" + HOST + "Content-Length: 5\\nContent-Length: 6\\n\\nhello!", "POST / HTTP/1.1\\n" + HOST + "Content-Length: +5\\n\\nhello",
                "POST / HTTP/1.1\\n" + HOST + "Content-Length: 0x5\\n\\nhello", "POST / HTTP/1.1\\n" + HOST + "Content-Length: 5, 5\\n\\nhello", "POST / HTTP/1.1\\n" + HOST + "Transfer-Encoding: xchunked\\n\\n0\\n\\n",
                "POST / HTTP/1.1\\n" + HOST + "Transfer-Encoding: chunked, identity\\n\\n0\\n\\n", "POST / HTTP/1.1\\n" + HOST + "Transfer-Encoding: chunked\\nTransfer-Encoding: chunked\\n\\n0\\n\\n",
                "POST / HTTP/1.1\\n" + HOST + "Transfer-Encoding:\\x0bchunked\\n\\n0\\n\\n", "POST / HTTP/1.0\\n" + HOST + "Transfer-Encoding: chunked\\n\\n0\\n\\n", "GET / HTTP/1.1\\n" + HOST + "X: a\\x00b\\n\\n", "GET /\\x80 HTTP/1.1\\n" + HOST + "\\n")) {
            all.add(web("a request that is none for its host: " + request, "http('{h}.allowed.test', '" + request + "')").records(KNOWN, "request.denied {h}.allowed.test .*"));
        }
        all.add(web("line ends of one character", "tcp('{h}.allowed.test', 80, b'GET / HTTP/1.1\\nHost: {h}.allowed.test\\n\\n', False)").records(KNOWN, "request.denied {h}.allowed.test request-malformed"));
        all.add(web("a second request on an approved connection", "http('{h}.allowed.test', 'GET /1 HTTP/1.1\\n" + HOST + "\\nGET /2 HTTP/1.1\\nHost: denied.test\\n\\n')").leads("45.0.0.1")
                .arrives("45.0.0.1:80 tcp", "45.0.0.1:80 tcp GET /1 HTTP/1.1 Host: {h}.allowed.test").records(KNOWN, "connect {h}.allowed.test -"));
        all.add(web("a second request hidden in the body of the first", "http('{h}.allowed.test', 'GET /1 HTTP/1.1\\n" + HOST + "Content-Length: 0\\n\\nGET /2 HTTP/1.1\\nHost: denied.test\\n\\n')").leads("45.0.0.1")
                .arrives("45.0.0.1:80 tcp", "45.0.0.1:80 tcp GET /1 HTTP/1.1 Host: {h}.allowed.test").records(KNOWN, "connect {h}.allowed.test -"));
        all.add(web("an ordinary client", "run('curl', '-sS', 'http://{h}.allowed.test/x')").leads("45.0.0.1").arrives("45.0.0.1:80 tcp", "45.0.0.1:80 tcp GET /x HTTP/1.1 Host: {h}.allowed.test").records(KNOWN, "connect {h}.allowed.test -"));
        for (var redirect : Map.of("http://10.9.0.3/", "10.9.0.3 no-rule", "http://169.254.169.254/latest/", "169.254.169.254 never-dialled", "http://127.0.0.1:7800/", "", "http://0x2d000305/", "45.0.3.5 no-rule", "http://[::ffff:45.0.3.6]/", "45.0.3.6 no-rule").entrySet()) {
            String to = redirect.getKey();
            var told = new ArrayList<>(List.of(KNOWN, "connect {h}.allowed.test -"));
            if (!redirect.getValue().isEmpty()) {
                told.add("connect.denied " + redirect.getValue());
            }
            all.add(web("a redirect to " + to, "run('curl', '-sSL', '-g', 'http://{h}.allowed.test/to?" + to + "')").leads("45.0.0.1")
                    .arrives("45.0.0.1:80 tcp", "45.0.0.1:80 tcp GET /to.* Host: {h}.allowed.test").records(told.toArray(String[]::new)));
        }
        all.add(web("a redirect to a denied name", "run('curl', '-sSL', 'http://{h}.allowed.test/to?http://{h}.denied.test/')").leads("45.0.0.1")
                .arrives("45.0.0.1:80 tcp", "45.0.0.1:80 tcp GET /to.* Host: {h}.allowed.test").records(KNOWN, "connect {h}.allowed.test -", "dns.denied {h}.denied.test no-rule"));
        all.add(web("a proxy that a client is told to use", "run('curl', '-sS', '-x', 'http://{h}.allowed.test:80', 'http://denied.test/')\nrun('curl', '-sS', '-x', 'http://45.0.3.9:3128', 'http://{h}.allowed.test/')").records(KNOWN, "request.denied {h}.allowed.test .*", "connect.denied 45.0.3.9 no-rule"));
        return all;
    }
}
