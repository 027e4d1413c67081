// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool.contents;

import dev.redoma.kernel.Dir;
import dev.redoma.kernel.Fd;
import dev.redoma.kernel.Open;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Bundles of certificates in which an authority of the platform's own gateway may stand among others: it goes, the others stay. What is too large to be looked at is a failure.
final class TrustBundles {
    private static final int MOST = 16 << 20;
    private static final Pattern BLOCK = Pattern.compile("-----BEGIN (?:TRUSTED )?CERTIFICATE-----([A-Za-z0-9+/=\\s]{1,65536}+)-----END (?:TRUSTED )?CERTIFICATE-----\\n?");
    /// The subject of every such authority, as it stands in its certificate.
    private static final String SUBJECT = "Redoma egress authority";
    /// Around what the operator of a host adds to it.
    private static final String MORE_BEGIN = "# Redoma: what else is trusted here\n";
    private static final String MORE_END = "# Redoma: end of it\n";
    private static final List<List<String>> BUNDLES = List.of(
            List.of("etc", "ssl", "certs", "ca-certificates.crt"), List.of("etc", "ssl", "cert.pem"), List.of("etc", "ssl", "ca-bundle.pem"),
            List.of("etc", "pki", "tls", "certs", "ca-bundle.crt"), List.of("etc", "pki", "ca-trust", "extracted", "pem", "tls-ca-bundle.pem"));

    private TrustBundles() {}

    static void clean(Dir upper) {
        BUNDLES.forEach(path -> text(upper, path).filter(TrustBundles::holds).ifPresent(text -> write(upper, path, without(text))));
    }

    static boolean hold(Dir upper) {
        return BUNDLES.stream().anyMatch(path -> text(upper, path).filter(TrustBundles::holds).isPresent());
    }

    private static Optional<String> text(Dir upper, List<String> path) {
        return TreeText.inside(upper, path.getFirst(), inner -> {
            if (path.size() > 2) {
                return text(inner, path.subList(1, path.size()));
            }
            String name = path.getLast();
            if (inner.find(name).filter(s -> s.type() == dev.redoma.kernel.Stat.Type.FILE && s.size() > MOST).isPresent()) {
                throw new IllegalStateException("a bundle of certificates is larger than 16 MiB");
            }
            return TreeText.of(inner, MOST, name);
        });
    }

    private static boolean holds(String text) {
        return text.contains(MORE_BEGIN) || BLOCK.matcher(text).results().anyMatch(block -> ours(block.group(1)));
    }

    private static boolean ours(String base64) {
        try {
            return new String(Base64.getMimeDecoder().decode(base64), StandardCharsets.ISO_8859_1).contains(SUBJECT);
        } catch (IllegalArgumentException none) {
            return false;
        }
    }

    private static String without(String text) {
        Matcher blocks = BLOCK.matcher(withoutMore(text));
        return blocks.replaceAll(block -> ours(block.group(1)) ? "" : Matcher.quoteReplacement(block.group()));
    }

    /// One whose end is missing goes as far as its certificates do.
    private static String withoutMore(String text) {
        String rest = text;
        for (int begin = rest.indexOf(MORE_BEGIN); begin >= 0; begin = rest.indexOf(MORE_BEGIN)) {
            int behind = begin + MORE_BEGIN.length();
            int end = rest.indexOf(MORE_END, behind);
            int other = rest.indexOf(MORE_BEGIN, behind);
            if (end >= 0 && (other < 0 || end < other)) {
                rest = rest.substring(0, begin) + rest.substring(end + MORE_END.length());
            } else {
                Matcher blocks = BLOCK.matcher(rest).region(behind, rest.length());
                while (blocks.lookingAt()) {
                    behind = blocks.end();
                    blocks.region(behind, rest.length());
                }
                rest = rest.substring(0, begin) + rest.substring(behind);
            }
        }
        return rest;
    }

    private static void write(Dir dir, List<String> path, String text) {
        TreeText.inside(dir, path.getFirst(), inner -> {
            if (path.size() > 2) {
                write(inner, path.subList(1, path.size()), text);
                return Optional.empty();
            }
            try (Fd file = inner.openAt(path.getLast(), Open.WRONLY | Open.NONBLOCK, 0)) {
                file.truncate(0);
                file.write(text.getBytes(StandardCharsets.ISO_8859_1));
            }
            return Optional.empty();
        });
    }
}
