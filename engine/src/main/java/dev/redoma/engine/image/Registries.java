// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine.image;

import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// What the operator says about registries. `byDefault`: where an image is that names no registry; null: nowhere.
public record Registries(@Nullable String byDefault, List<Named> named) {
    public static final Registries NONE = new Registries(null, List.of());

    /// One registry (or another host that one redirects to), by `host[:port]`. `allowPrivate`: it may lie at a loopback, private or shared
    /// address. `caFile`: the authorities that its certificate may come from, instead of the machine's. `passwordFile` holds the password of
    /// `username`; `tokenHosts` are others that may be told it, where the registry sends to them for a token. `library`: what goes before a
    /// path of one part.
    public record Named(
            String host,
            boolean plainHttp,
            boolean allowPrivate,
            @Nullable Path caFile,
            @Nullable String username,
            @Nullable Path passwordFile,
            List<String> tokenHosts,
            @Nullable String library) {

        static Named unnamed(String host) {
            return new Named(host, false, false, null, null, null, List.of(), null);
        }
    }

    public Optional<Named> find(Outgoing.Origin origin) {
        var host = origin.host().indexOf(':') >= 0 ? "[" + origin.host() + "]" : origin.host();
        return named.stream().filter(n -> n.host().equals(host + ":" + origin.port()) || n.host().equals(host) && origin.port() == (n.plainHttp() ? 80 : 443)).findFirst();
    }

    /// The host that an image lies on.
    public String hostOf(ImageReference image) {
        var host = image.registry() != null ? image.registry() : byDefault;
        if (host == null) {
            throw Problem.of(Code.INVALID_FIELD, "image: '" + image + "' names no registry, and this server has none by default.",
                            "Write HOST/" + image + ", or set 'default-registry' in redoma.yaml.")
                    .with("field", "image").raise();
        }
        return host;
    }

    Named of(String host) {
        return named.stream().filter(n -> n.host().equals(host)).findFirst().orElseGet(() -> Named.unnamed(host));
    }
}
