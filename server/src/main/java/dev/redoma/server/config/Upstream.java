// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server.config;

import dev.redoma.gateway.CheckedDialler;
import dev.redoma.gateway.UpstreamProxy;
import dev.redoma.model.Problem;
import dev.redoma.model.wire.Finding;
import dev.redoma.policy.AddressBlock;
import dev.redoma.policy.AddressSpace;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// What lies between this host and the others: which name servers are asked (none: the host's own resolver), and which addresses lead back to it,
/// what is public beside the addresses of the Internet, a file of authorities that are believed beside its own, and a proxy
/// through which others are reached (null: none).
public record Upstream(List<InetSocketAddress> resolvers, List<AddressBlock> own, AddressSpace space, @Nullable Path authorities, @Nullable UpstreamProxy proxy) {
    private static final int MOST_RESOLVERS = 3;
    private static final int MOST_OWN = 64;
    private static final String RANGES = "addresses and ranges such as 198.51.100.7, 198.51.100.0/28, with commas between";
    private static final int PORT = 53;
    private static final Pattern PROXY = Pattern.compile("http://(?:\\[([^\\]]+)]|([A-Za-z0-9._-]+)):([1-9][0-9]{0,4})/?");
    private static final Pattern WITH_PORT = Pattern.compile("(?:\\[([^\\]]+)]|([^:\\[\\]]+)):([1-9][0-9]{0,4})");

    public Upstream {
        resolvers = List.copyOf(resolvers);
        own = List.copyOf(own);
    }

    /// What of it `doctor` tells.
    public List<Finding> findings() {
        var findings = new ArrayList<Finding>();
        if (!space.publicToo().isEmpty()) {
            findings.add(new Finding("network", "public addresses", "ok", space.publicToo().stream().map(AddressBlock::toString).collect(Collectors.joining(", "))
                    + " beside those of the Internet, by upstream.public-addresses: policies take them for public", null));
        }
        if (proxy != null) {
            findings.add(new Finding("network", "proxy", "ok", "public addresses are reached through " + proxy + ", by upstream.proxy (whether it answers was not tried)", null));
        }
        return findings;
    }

    static Upstream of(ConfigValues v) {
        return new Upstream(list(v, ConfigKey.UPSTREAM_RESOLVER, MOST_RESOLVERS, "at most three addresses, each as ADDRESS or ADDRESS:PORT, with commas between", Upstream::server),
                own(v), space(v), authorities(v), proxy(v));
    }

    private static @Nullable UpstreamProxy proxy(ConfigValues v) {
        String given = v.optional(ConfigKey.UPSTREAM_PROXY);
        String file = v.optional(ConfigKey.UPSTREAM_PROXY_CREDENTIALS);
        if (given == null) {
            if (file != null) {
                throw Problem.field(ConfigKey.UPSTREAM_PROXY_CREDENTIALS.path(), "belongs to no proxy", "upstream.proxy beside it");
            }
            return null;
        }
        var m = PROXY.matcher(given);
        if (!m.matches() || Integer.parseInt(m.group(3)) > 65_535 || m.group(1) != null && AddressBlock.address(m.group(1)).isEmpty()) {
            throw Problem.field(ConfigKey.UPSTREAM_PROXY.path(), "'" + given.replaceAll("//[^/]*@", "//...@") + "' is none", "http://HOST:PORT; TLS to a proxy is not offered, and credentials stand in the file of upstream.proxy-credentials");
        }
        return new UpstreamProxy(m.group(1) == null ? m.group(2) : m.group(1), Integer.parseInt(m.group(3)), file == null ? null : Path.of(file));
    }

    private static List<AddressBlock> own(ConfigValues v) {
        return list(v, ConfigKey.UPSTREAM_OWN, MOST_OWN, RANGES, AddressBlock::parse);
    }

    private static AddressSpace space(ConfigValues v) {
        var blocks = list(v, ConfigKey.UPSTREAM_PUBLIC, MOST_OWN, RANGES, AddressBlock::parse);
        var own = own(v);
        for (var block : blocks) {
            var mine = own.stream().anyMatch(o -> o.covers(block)) || block.prefix() == block.first().getAddress().length * 8 && CheckedDialler.interfaceHas(block.first());
            var refused = mine ? Optional.of("is this host's own") : AddressSpace.refusal(block);
            refused.ifPresent(why -> {
                throw Problem.field(ConfigKey.UPSTREAM_PUBLIC.path(), "'" + block + "' " + why, "ranges that lead to public hosts on this network, none of them loopback, link-local, multicast or this host's own");
            });
        }
        return new AddressSpace(blocks);
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
