// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server.config;

import dev.redoma.model.Problem;
import dev.redoma.policy.AddressBlock;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// What lies between this host and the others: which name servers are asked (none: the host's own resolver), and which addresses lead back to it,
/// and a file of authorities that are believed beside its own (null: none).
public record Upstream(List<InetSocketAddress> resolvers, List<AddressBlock> own, @Nullable Path authorities) {
    private static final int MOST_RESOLVERS = 3;
    private static final int MOST_OWN = 64;
    private static final int PORT = 53;
    private static final Pattern WITH_PORT = Pattern.compile("(?:\\[([^\\]]+)]|([^:\\[\\]]+)):([1-9][0-9]{0,4})");

    public Upstream {
        resolvers = List.copyOf(resolvers);
        own = List.copyOf(own);
    }

    static Upstream of(ConfigValues v) {
        return new Upstream(list(v, ConfigKey.UPSTREAM_RESOLVER, MOST_RESOLVERS, "at most three addresses, each as ADDRESS or ADDRESS:PORT, with commas between", Upstream::server),
                list(v, ConfigKey.UPSTREAM_OWN, MOST_OWN, "addresses and ranges such as 198.51.100.7, 198.51.100.0/28, with commas between", AddressBlock::parse), authorities(v));
    }

    private static @Nullable Path authorities(ConfigValues v) {
        String file = v.optional(ConfigKey.UPSTREAM_CA);
        return file == null ? null : Path.of(file);
    }

    private static <T> List<T> list(ConfigValues v, ConfigKey key, int most, String form, Function<String, Optional<T>> one) {
        String given = v.optional(key);
        if (given == null) {
            return List.of();
        }
        var parts = Arrays.stream(given.split(",", -1)).map(String::strip).toList();
        if (parts.size() > most) {
            throw Problem.field(key.path(), "has more than " + most + " values", form);
        }
        return parts.stream().map(p -> one.apply(p).orElseThrow(() -> Problem.field(key.path(), "'" + p + "' is none", form))).toList();
    }

    private static Optional<InetSocketAddress> server(String text) {
        var plain = AddressBlock.address(text);
        if (plain.isPresent()) {
            return plain.map(a -> new InetSocketAddress(a, PORT));
        }
        var m = WITH_PORT.matcher(text);
        if (!m.matches() || Integer.parseInt(m.group(3)) > 65_535) {
            return Optional.empty();
        }
        return AddressBlock.address(m.group(1) == null ? m.group(2) : m.group(1)).map(a -> new InetSocketAddress(a, Integer.parseInt(m.group(3))));
    }
}
