// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.ingress;

import dev.redoma.gateway.HttpAnswer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.eclipse.jetty.http.HttpField;

/// The head of an app's answer as it goes out: without what is meant for one hop alone, and without what would act on more than the app's own pages: on its whole site, on how the site is reached, or on a server before this one
/// (docs/preview.md says why each). `length`: -1 where it is not known.
record Outward(List<Map.Entry<String, String>> fields, long length) {
    private static final Set<String> DROPPED = Set.of(
            // the site: what browsers keep for it beyond this host
            "clear-site-data",
            // how it is reached: kept by browsers long after the port is closed
            "strict-transport-security", "public-key-pins", "public-key-pins-report-only", "expect-ct", "alt-svc", "alt-used", "nel", "report-to",
            // orders to a server before this one
            "x-accel-redirect", "x-accel-expires", "x-accel-charset", "x-accel-limit-rate", "x-sendfile", "x-lighttpd-send-file", "x-litespeed-location", "x-reproxy-url", "surrogate-control", "surrogate-key");
    /// Where sandboxes share an origin, more would act on each other.
    private static final Set<String> DROPPED_UNDER_PATHS = Set.of("set-cookie", "service-worker-allowed", "www-authenticate", "set-login", "reporting-endpoints", "accept-ch", "critical-ch", "origin-agent-cluster");
    /// Scripts run and forms are sent, but in an origin of nobody's: no cookies, no storage, no service workers, no other sandbox's pages.
    private static final String CAGE = "sandbox allow-scripts allow-forms allow-popups allow-modals allow-downloads";

    static Outward of(HttpAnswer answer, Target target) {
        boolean under = target.form() == Target.Form.PATH;
        long length = -1;
        var fields = new ArrayList<Map.Entry<String, String>>();
        var drop = Inward.named(answer.headers("Connection"));
        for (var f : answer.fields()) {
            var name = f.getLowerCaseName();
            if (Inward.HOP.contains(name) || drop.contains(name) || DROPPED.contains(name) || under && DROPPED_UNDER_PATHS.contains(name)) {
                continue;
            }
            if (name.equals("content-length")) {
                length = f.getLongValue();
            }
            var value = name.equals("set-cookie") ? Cookies.outward(value(f)) : under && name.equals("location") ? under(value(f), target) : value(f);
            if (value != null) {
                fields.add(Map.entry(f.getName(), value));
            }
        }
        if (under) {
            fields.add(Map.entry("Content-Security-Policy", CAGE));
            fields.add(Map.entry("X-Content-Type-Options", "nosniff"));
        }
        return new Outward(fields, length);
    }

    /// An app sends its clients to paths of its own.
    private static String under(String location, Target target) {
        return location.startsWith("/") && !location.startsWith("//") && !location.startsWith(target.prefix() + "/") ? target.prefix() + location : location;
    }

    static List<Map.Entry<String, String>> switching(HttpAnswer answer, Target target) {
        var fields = new ArrayList<>(of(answer, target).fields());
        fields.removeIf(f -> f.getKey().equalsIgnoreCase("Content-Length"));
        answer.fields().forEach(f -> {
            if (f.getLowerCaseName().equals("upgrade")) {
                fields.add(Map.entry(f.getName(), value(f)));
            }
        });
        fields.add(Map.entry("Connection", "Upgrade"));
        return fields;
    }

    private static String value(HttpField f) {
        return f.getValue() == null ? "" : f.getValue();
    }
}
