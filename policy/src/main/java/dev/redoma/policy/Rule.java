// SPDX-License-Identifier: Apache-2.0
package dev.redoma.policy;

import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// One rule of a policy. `id` is unique in an effective policy (`request.web[1]`). `into`: the ranges that its hosts may resolve into; empty: public addresses only. Empty `methods` and
/// `paths` say nothing of requests. `bytes`: of both directions together, in a sandbox's life.
public record Rule(
        String id,
        EgressClass egressClass,
        boolean deny,
        List<Target> targets,
        List<AddressBlock> into,
        Set<String> methods,
        List<PathPattern> paths,
        Handling handling,
        @Nullable Rate rate,
        @Nullable Long bytes,
        Place place) {

    public Rule {
        targets = List.copyOf(targets);
        into = List.copyOf(into);
        methods = Set.copyOf(methods);
        paths = List.copyOf(paths);
    }

    /// What the gateway does with a connection that a rule allows.
    public enum Handling {
        INTERCEPT, OPAQUE, TCP
    }

    /// Where it was written. Line and column from 1; 0: it was made, not written.
    public record Place(String layer, String source, int line, int column) {
        @Override
        public String toString() {
            return layer + " (" + source + (line > 0 ? ", line " + line : "") + ")";
        }
    }

    public Passage passage(int port) {
        return switch (handling) {
            case INTERCEPT -> Passage.HTTP;
            case OPAQUE -> port == 443 ? Passage.TLS : Passage.TCP;
            case TCP -> Passage.TCP;
        };
    }

    /// What its rate and its bytes are counted under: a name for what it speaks of in its document, wherever it stands there and however much it grants.
    public String budget() {
        String about = sorted(targets.stream()) + sorted(into.stream()) + sorted(methods.stream()) + sorted(paths.stream());
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(about.getBytes(StandardCharsets.UTF_8));
            return place.layer() + "." + egressClass.wire() + ":" + HexFormat.of().formatHex(digest, 0, 16);
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private static String sorted(Stream<?> parts) {
        return parts.map(Object::toString).sorted().distinct().collect(Collectors.joining(", ", "[", "]"));
    }

    /// Why a request that it speaks of is not allowed by it; empty: it is.
    Optional<Reason> objects(String method, String path) {
        if (!methods.isEmpty() && !methods.contains(method)) {
            return Optional.of(Reason.METHOD);
        }
        if (paths.isEmpty()) {
            return Optional.empty();
        }
        if (PathPattern.ambiguous(path)) {
            return Optional.of(Reason.AMBIGUOUS_PATH);
        }
        return paths.stream().anyMatch(p -> p.matches(path)) ? Optional.empty() : Optional.of(Reason.PATH);
    }

    /// Whether a name that it allows may lead to this address; `kind`: empty for a public one.
    Optional<Reason> objects(InetAddress address, Optional<AddressKind> kind) {
        if (kind.isPresent() && !kind.get().internal()) {
            return Optional.of(Reason.NEVER_DIALLED);
        }
        boolean named = into.isEmpty() ? kind.isEmpty() : into.stream().anyMatch(b -> b.contains(address));
        return named ? Optional.empty() : Optional.of(Reason.PRIVATE_ADDRESS);
    }
}
