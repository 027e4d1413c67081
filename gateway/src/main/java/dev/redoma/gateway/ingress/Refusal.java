// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.ingress;

import dev.redoma.http.Exchange;
import dev.redoma.http.Json;
import dev.redoma.model.Code;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import org.jspecify.annotations.Nullable;

/// What the router answers itself where a request does not get through: JSON, or a page for a browser. `kind`: what it is, as in problem documents; `state`: of the sandbox, where that is why.
record Refusal(int status, String message, @Nullable Target target, boolean tellsPort, @Nullable Code kind, @Nullable String state) {

    /// It cannot be told which sandbox is meant.
    Refusal(int status, String message) {
        this(status, message, null, false, null, null);
    }

    /// Of the whole sandbox.
    static Refusal of(Target target, int status, Code kind, String message) {
        return new Refusal(status, message, target, false, kind, null);
    }

    /// Of this port of it.
    static Refusal ofPort(Target target, int status, Code kind, String message) {
        return new Refusal(status, message, target, true, kind, null);
    }

    void send(Exchange http) throws IOException {
        http.set("Access-Control-Allow-Origin", "*").set("Cache-Control", "no-store");
        if (target == null) {
            http.bytes(status, "text/plain; charset=utf-8", (message + "\n").getBytes(StandardCharsets.UTF_8));
        } else if (http.accepts("text/html")) {
            http.set("Content-Security-Policy", "default-src 'none'").bytes(status, "text/html; charset=utf-8", page());
        } else {
            http.bytes(status, "application/json", Json.bytes(body(target)));
        }
    }

    private Object body(Target of) {
        var body = new LinkedHashMap<String, Object>();
        body.put("sandboxId", of.sandbox());
        body.put("message", message);
        if (tellsPort) {
            body.put("port", of.port());
        }
        body.put("code", status);
        if (kind != null) {
            body.put("type", "urn:redoma:problem:" + kind.wire());
        }
        if (state != null) {
            body.put("state", state);
        }
        return body;
    }

    /// Of the request only what [Target] let through is in it: letters, digits.
    private byte[] page() {
        return ("<!doctype html><meta charset=\"utf-8\"><title>" + status + "</title><h1>" + status + "</h1><p>" + message + "</p>"
                + (kind == null ? "" : "<p>" + kind.wire() + "</p>")
                + (target == null ? "" : "<p>Sandbox " + target.sandbox() + ", port " + target.port() + "</p>")).getBytes(StandardCharsets.UTF_8);
    }
}
