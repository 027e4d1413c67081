// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine.image;

import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.RedomaException;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// What is to be pulled: `[HOST[:PORT]/]PATH[:TAG][@DIGEST]`. The first part is a host if it has a dot or a port, or is `localhost`. A
/// digest decides where there is a tag too.
public record ImageReference(@Nullable String registry, String path, @Nullable String tag, @Nullable Digest digest) {
    private static final int MOST = 512;
    private static final Pattern HOST = Pattern.compile("(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*|\\[[0-9a-f:]{2,39}(?:\\.[0-9.]{1,15})?])(?::[0-9]{1,5})?");
    private static final Pattern PATH = Pattern.compile("[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*(?:/[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*)*");
    private static final Pattern TAG = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}");

    public static ImageReference parse(String text) {
        if (text.isEmpty() || text.length() > MOST) {
            throw wrong(text);
        }
        var rest = text;
        Digest digest = null;
        int at = rest.indexOf('@');
        if (at >= 0) {
            if (!Digest.is(rest.substring(at + 1))) {
                throw wrong(text);
            }
            digest = new Digest(rest.substring(at + 1));
            rest = rest.substring(0, at);
        }
        String tag = null;
        int colon = rest.lastIndexOf(':');
        if (colon > rest.lastIndexOf('/')) {
            tag = rest.substring(colon + 1);
            rest = rest.substring(0, colon);
        }
        int slash = rest.indexOf('/');
        var first = slash < 0 ? "" : rest.substring(0, slash);
        boolean host = first.indexOf('.') >= 0 || first.indexOf(':') >= 0 || first.equals("localhost");
        var path = host ? rest.substring(slash + 1) : rest;
        if (host && !HOST.matcher(first).matches() || !PATH.matcher(path).matches() || tag != null && !TAG.matcher(tag).matches()) {
            throw wrong(text);
        }
        return new ImageReference(host ? first : null, path, tag, digest);
    }

    private static RedomaException wrong(String text) {
        return Problem.of(Code.INVALID_FIELD, "image: '" + Refusal.shown(text) + "' is no reference to an image.", "Write [HOST[:PORT]/]PATH[:TAG][@sha256:…] in lower case.")
                .with("field", "image").raise();
    }

    /// What a registry is asked for: the digest, else the tag, else `latest`.
    String wanted() {
        return digest != null ? digest.value() : tag == null ? "latest" : tag;
    }

    /// The last part of the path, as a name for what becomes of it.
    public String lastPart() {
        return path.substring(path.lastIndexOf('/') + 1);
    }

    public Optional<String> tagGiven() {
        return Optional.ofNullable(tag);
    }

    @Override
    public String toString() {
        return (registry == null ? "" : registry + "/") + path + (tag == null ? "" : ":" + tag) + (digest == null ? "" : "@" + digest);
    }
}
