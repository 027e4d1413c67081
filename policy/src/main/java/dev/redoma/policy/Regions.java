// SPDX-License-Identifier: Apache-2.0
package dev.redoma.policy;

import java.math.BigInteger;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/// Splits all that could be asked for under some policies into parts that each of them decides alike, with a sample of each part.
record Regions(List<EffectivePolicy> policies, EgressClass egressClass) {
    /// Where private addresses lie: `Addresses` says the same of every address of one of them, but for metadata services.
    static final List<AddressBlock> INTERNAL = Stream.of("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7", "fec0::/10").map(b -> AddressBlock.parse(b).orElseThrow())
            .toList();

    /// Names that match the same patterns, and one of them.
    record Names(HostPattern pattern, HostName sample) {}

    /// Addresses that lie in the same ranges and are alike private or public, and one of them.
    record Numbers(AddressBlock block, boolean internal, InetAddress sample) {
        @Override
        public String toString() {
            return block.prefix() == 0 ? (internal ? "private " : "public ") + (block.first() instanceof Inet4Address ? "IPv4" : "IPv6") + " addresses" : block.toString();
        }
    }

    private Stream<Rule> rules() {
        return policies.stream().flatMap(p -> p.layers().stream()).flatMap(l -> l.of(egressClass).stream());
    }

    List<Names> names() {
        var patterns = new LinkedHashSet<HostPattern>();
        rules().flatMap(r -> r.targets().stream()).forEach(t -> {
            if (t instanceof Target.Named named) {
                patterns.add(named.hosts());
            }
        });
        patterns.add(new HostPattern.Any());
        return patterns.stream().sorted(Comparator.comparing(HostPattern::toString)).map(p -> new Names(p, sample(p, patterns))).toList();
    }

    private static HostName sample(HostPattern pattern, Set<HostPattern> all) {
        String behind = switch (pattern) {
            case HostPattern.Exact exact -> "";
            case HostPattern.Below below -> "." + below.suffix();
            case HostPattern.Any any -> "";
        };
        if (pattern instanceof HostPattern.Exact exact) {
            return exact.name();
        }
        for (int i = 0; ; i++) {
            HostName name = HostName.parse("x" + i + behind).orElse(null);
            if (name == null) {
                return ((HostPattern.Below) pattern).suffix(); // too long for anything to lie below it
            }
            if (!all.contains(new HostPattern.Exact(name))) {
                return name;
            }
        }
    }

    /// Ranges of ports.
    List<Ports.Range> ports() {
        var starts = new TreeSet<Integer>(Set.of(1));
        rules().flatMap(r -> r.targets().stream()).flatMap(t -> t.ports().ranges().stream()).forEach(r -> {
            starts.add(r.from());
            if (r.to() < 65_535) {
                starts.add(r.to() + 1);
            }
        });
        starts.add(443); // what is opaque is TLS there and bytes elsewhere
        starts.add(444);
        var ranges = new ArrayList<Ports.Range>();
        for (int start : starts) {
            Integer next = starts.higher(start);
            ranges.add(new Ports.Range(start, next == null ? 65_535 : next - 1));
        }
        return ranges;
    }

    List<Numbers> numbers() {
        var blocks = new LinkedHashSet<AddressBlock>();
        rules().forEach(r -> {
            blocks.addAll(r.into());
            r.targets().forEach(t -> {
                if (t instanceof Target.Numbered numbered) {
                    blocks.add(numbered.block());
                }
            });
        });
        boolean splits = !blocks.isEmpty();
        Stream.of("0.0.0.0/0", "::/0").forEach(b -> blocks.add(AddressBlock.parse(b).orElseThrow()));
        if (splits) {
            blocks.addAll(INTERNAL);
        }
        var numbers = new ArrayList<Numbers>();
        for (AddressBlock block : blocks) {
            List<AddressBlock> within = blocks.stream().filter(b -> !b.equals(block) && block.covers(b)).toList();
            sample(block, within, false).ifPresent(a -> numbers.add(new Numbers(block, false, a)));
            if (splits) {
                sample(block, within, true).ifPresent(a -> numbers.add(new Numbers(block, true, a)));
            }
        }
        return numbers;
    }

    /// An address of it that lies in none of the smaller ranges, and is private or public as wanted.
    private static Optional<InetAddress> sample(AddressBlock block, List<AddressBlock> within, boolean internal) {
        byte[] first = block.first().getAddress();
        BigInteger low = new BigInteger(1, first);
        BigInteger size = BigInteger.ONE.shiftLeft(first.length * 8 - block.prefix());
        var offsets = new TreeSet<BigInteger>();
        offsets.add(BigInteger.ZERO);
        offsets.add(size.subtract(BigInteger.ONE));
        within.forEach(b -> {
            offsets.add(new BigInteger(1, b.first().getAddress()).subtract(low).subtract(BigInteger.ONE));
            offsets.add(new BigInteger(1, b.last().getAddress()).subtract(low).add(BigInteger.ONE));
        });
        for (int i = 1; i < 64; i++) {
            offsets.add(size.multiply(BigInteger.valueOf(i)).shiftRight(6).add(BigInteger.valueOf(i * 7L)));
        }
        return offsets.stream().filter(o -> o.signum() >= 0 && o.compareTo(size) < 0).map(o -> address(low.add(o), first.length))
                .filter(a -> within.stream().noneMatch(b -> b.contains(a)))
                .filter(a -> Addresses.kind(a).map(k -> internal && k.internal()).orElse(!internal)).findFirst();
    }

    private static InetAddress address(BigInteger value, int length) {
        byte[] raw = value.toByteArray();
        byte[] full = new byte[length];
        int n = Math.min(raw.length, length);
        System.arraycopy(raw, raw.length - n, full, length - n, n);
        try {
            return InetAddress.getByAddress(full);
        } catch (UnknownHostException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
