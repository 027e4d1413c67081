// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// How a template version is named: `name` (what its tag `latest` points at), `name:tag`, `name@sha256:…` or `sha256:…`. The one parser
/// of that form. At least one of `name` and `digest` is there; `tag` only beside a name and without a digest.
public record TemplateReference(@Nullable String name, @Nullable String tag, @Nullable String digest) {
    /// The tag that a bare name means.
    public static final String LATEST = "latest";

    private static final int MOST_TAGS = 32;

    private static final Pattern NAME = Pattern.compile("[a-z0-9]([a-z0-9_-]{0,126}[a-z0-9])?");
    private static final Pattern TAG = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}");
    private static final Pattern DIGEST = Pattern.compile("sha256:[0-9a-f]{64}");
    private static final String FORMS = "name, name:tag, name@sha256:… or sha256:… (64 hexadecimal digits)";

    /// `field`: what the request calls it.
    public static TemplateReference parse(String field, String text) {
        if (text.startsWith("sha256:")) {
            return new TemplateReference(null, null, part(field, "digest", DIGEST, text));
        }
        int at = text.indexOf('@');
        if (at >= 0) {
            return new TemplateReference(part(field, "name", NAME, text.substring(0, at)), null, part(field, "digest", DIGEST, text.substring(at + 1)));
        }
        int colon = text.indexOf(':');
        return colon < 0
                ? new TemplateReference(part(field, "name", NAME, text), null, null)
                : new TemplateReference(part(field, "name", NAME, text.substring(0, colon)), part(field, "tag", TAG, text.substring(colon + 1)), null);
    }

    private static String part(String field, String what, Pattern form, String text) {
        if (!form.matcher(text).matches()) {
            throw Problem.field(field, "its " + what + " has not the form of one", FORMS);
        }
        return text;
    }

    public static String tag(String field, String text) {
        if (!TAG.matcher(text).matches()) {
            throw Problem.field(field, "not a tag", "1 to 128 of A-Z, a-z, 0-9, '_', '.' and '-', not beginning with '.' or '-'");
        }
        return text;
    }

    /// One tag, or several with commas between, each once and in that order.
    public static String tags(String field, String text) {
        var tags = new java.util.LinkedHashSet<String>();
        for (var one : text.split(",", -1)) {
            tags.add(tag(field, one.strip()));
        }
        if (tags.size() > MOST_TAGS) {
            throw Problem.field(field, tags.size() + " tags", "at most " + MOST_TAGS);
        }
        return String.join(",", tags);
    }

    /// The tag that it means where it has no digest.
    public String tagOrLatest() {
        return tag == null ? LATEST : tag;
    }

    @Override
    public String toString() {
        if (name == null) {
            return String.valueOf(digest);
        }
        return digest != null ? name + "@" + digest : tag != null ? name + ":" + tag : name;
    }
}
