// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool.contents;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Finds secrets by their look, plain or in base64, and values that are known already. One pass; immutable, thread-safe.
final class Shapes {
    private static final String TOKEN = "Aa0_-";
    private static final int DECODED = 1024;
    private static final List<Shape> KNOWN = List.of(
            Shape.token("github-token", "ghp_", 30, "Aa0"), Shape.token("github-token", "gho_", 30, "Aa0"), Shape.token("github-token", "ghu_", 30, "Aa0"),
            Shape.token("github-token", "ghs_", 30, "Aa0"), Shape.token("github-token", "ghr_", 30, "Aa0"), Shape.token("github-token", "github_pat_", 30, "Aa0_"),
            Shape.token("gitlab-token", "glpat-", 20, TOKEN), Shape.token("gitlab-token", "gldt-", 20, TOKEN), Shape.token("gitlab-token", "glrt-", 20, TOKEN),
            Shape.token("aws-access-key", "AKIA", 16, "A0"), Shape.token("aws-access-key", "ASIA", 16, "A0"),
            Shape.token("slack-token", "xoxb-", 10, "Aa0-"), Shape.token("slack-token", "xoxp-", 10, "Aa0-"), Shape.token("slack-token", "xapp-", 10, "Aa0-"),
            Shape.token("api-key", "sk-ant-", 20, TOKEN), Shape.token("api-key", "sk-proj-", 20, TOKEN), Shape.token("api-key", "sk-", 40, "Aa0"),
            Shape.token("google-api-key", "AIza", 35, TOKEN), Shape.token("google-token", "ya29.", 20, TOKEN), Shape.token("google-token", "GOCSPX-", 20, TOKEN),
            Shape.token("npm-token", "npm_", 36, "Aa0"), Shape.token("pypi-token", "pypi-", 50, TOKEN),
            Shape.token("stripe-key", "sk_live_", 16, "Aa0"), Shape.token("stripe-key", "rk_live_", 16, "Aa0"), Shape.token("stripe-key", "sk_test_", 16, "Aa0"),
            Shape.token("hugging-face-token", "hf_", 30, "Aa0"), Shape.token("digitalocean-token", "dop_v1_", 64, "h"), Shape.token("sendgrid-key", "SG.", 40, TOKEN + "."),
            Shape.token("docker-token", "dckr_pat_", 20, TOKEN), Shape.token("redoma-key", "e2b_", 40, "h"), new Shape("jwt", Shape.bytes("eyJ"), Lines::jwt),
            Shape.token("bearer-token", "Bearer ", 20, TOKEN + ".~+/="), new Shape("basic-auth", Shape.bytes("Basic "), Lines::basic),
            new Shape("private-key", Shape.bytes("-----BEGIN "), Lines::privateKey), new Shape("url-password", Shape.bytes("://"), Lines::urlPassword));
    private static final Shapes PLAIN = new Shapes(KNOWN);
    static final Shapes STANDARD = new Shapes(withBase64(KNOWN));

    /// Candidates by their first two bytes.
    private final Shape[][] byStart = new Shape[1 << 16][];

    private Shapes(List<Shape> shapes) {
        for (Shape shape : shapes) {
            int start = (shape.prefix()[0] & 0xFF) << 8 | shape.prefix()[1] & 0xFF;
            Shape[] there = byStart[start];
            byStart[start] = there == null ? new Shape[] {shape} : Arrays.copyOf(there, there.length + 1);
            byStart[start][byStart[start].length - 1] = shape;
        }
    }

    /// Also finds these values, as they are and in base64.
    static Shapes knowing(Collection<String> values) {
        var shapes = withBase64(KNOWN);
        shapes.addAll(known(values));
        return new Shapes(shapes);
    }

    private static List<Shape> known(Collection<String> values) {
        var shapes = new ArrayList<Shape>();
        for (String value : values) {
            byte[] bytes = value.getBytes(StandardCharsets.ISO_8859_1);
            shapes.add(new Shape("known-value", bytes, (kind, text, from, end) -> new Finding(kind, from, from + bytes.length)));
            for (int alignment = 0; alignment < 3; alignment++) {
                inBase64(bytes, alignment, false, shapes);
                inBase64(bytes, alignment, true, shapes);
            }
        }
        return shapes;
    }

    private static void inBase64(byte[] value, int alignment, boolean url, List<Shape> shapes) {
        byte[] look = Base64Text.stable(value, alignment, url);
        shapes.add(new Shape("known-value-base64", look, (kind, text, from, end) ->
                new Finding(kind, Base64Text.runStart(text, from), Base64Text.runEnd(text, from, end))));
    }

    private static List<Shape> withBase64(List<Shape> plain) {
        var all = new ArrayList<>(plain);
        for (Shape shape : plain) {
            for (int alignment = 0; alignment < 3 && shape.prefix().length >= 3; alignment++) {
                int aligned = alignment;
                byte[] look = Base64Text.stable(shape.prefix(), alignment, false);
                if (look.length >= 3) {
                    all.add(new Shape(shape.kind() + "-base64", look, (kind, text, from, end) -> encoded(kind, text, from, end, aligned)));
                }
            }
        }
        return all;
    }

    /// What begins there in the decoded text, of which only as much is decoded as a token may have; all of the run counts as the secret.
    private static @Nullable Finding encoded(String kind, byte[] text, int from, int end, int alignment) {
        int quantum = from - Base64Text.before(alignment);
        int stop = Base64Text.runEnd(text, from, Math.min(end, from + DECODED));
        if (quantum < 0 || stop - quantum < 20) {
            return null;
        }
        byte[] inside = Base64Text.decoded(text, quantum, stop);
        boolean found = PLAIN.find(inside, inside.length).stream().anyMatch(f -> f.from() <= alignment + 1);
        return found ? new Finding(kind, Base64Text.runStart(text, from), Base64Text.runEnd(text, from, end)) : null;
    }

    /// Only these values: for what is no text.
    static Shapes only(Collection<String> values) {
        return new Shapes(known(values));
    }

    /// In order, none overlapping.
    List<Finding> find(byte[] text, int end) {
        var found = new ArrayList<Finding>();
        int at = 0;
        while (at + 1 < end) {
            Shape[] candidates = byStart[(text[at] & 0xFF) << 8 | text[at + 1] & 0xFF];
            Finding hit = candidates == null ? null : first(candidates, text, at, end);
            if (hit == null) {
                at++;
            } else {
                // One in base64 may begin before the place that gave it away.
                while (!found.isEmpty() && found.getLast().to() > hit.from()) {
                    hit = new Finding(hit.kind(), Math.min(hit.from(), found.getLast().from()), Math.max(hit.to(), found.getLast().to()));
                    found.removeLast();
                }
                found.add(hit);
                at = Math.max(at + 1, hit.to());
            }
        }
        return found;
    }

    private static @Nullable Finding first(Shape[] candidates, byte[] text, int at, int end) {
        for (Shape shape : candidates) {
            byte[] prefix = shape.prefix();
            if (at + prefix.length <= end && Arrays.equals(text, at, at + prefix.length, prefix, 0, prefix.length)) {
                Finding hit = shape.match().at(shape.kind(), text, at, end);
                if (hit != null) {
                    return hit;
                }
            }
        }
        return null;
    }
}
