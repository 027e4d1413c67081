// SPDX-License-Identifier: Apache-2.0
package dev.redoma.kernel;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;

/// The packet rules of a network namespace whose only interface is its loopback: all that leads anywhere are the granted destinations, whose TCP
/// connections go to a listener of ours (destination kept, port changed), and the resolver. Everything else but 127.0.0.0/8 and ::1 is refused at
/// once, TCP by a reset, the rest as unreachable, and told to a `PacketLog`. Holding this needs one socket in there; closing it leaves the rules. Thread-safe.
public final class GrantTable implements AutoCloseable {
    private static final String TABLE = "redoma";
    private static final int TCP = 6;
    private static final int UDP = 17;
    private static final int STATE = 0;
    private static final int STATUS = 2;
    private static final int ESTABLISHED_OR_RELATED = 2 | 4;
    private static final int TRANSLATED = 0x20;
    private static final int PAIRS = 1;
    private static final int HOSTS = 2;
    /// What `nft list` calls the parts of keys.
    private static final int PORT_TYPE = 13;

    private final Netlink filter;
    private final NetworkNamespace namespace;

    private GrantTable(NetworkNamespace namespace, Netlink filter) {
        this.namespace = namespace;
        this.filter = filter;
    }

    /// A range of addresses by its first one.
    public record Block(InetAddress first, int bits) {}

    /// One port of one address.
    public record Pair(InetAddress address, int port) {}

    /// What leads somewhere. `listener`: a port that something of ours listens on, for TCP; `resolver`: where UDP to port 53 goes to `datagrams`. `hosts`: every
    /// port of an address; `blocks`: of each address in them.
    public record Grants(int listener, InetAddress resolver, int datagrams, List<Pair> pairs, List<InetAddress> hosts, List<Block> blocks) {}

    public static GrantTable open(NetworkNamespace namespace) {
        return new GrantTable(namespace, Netlink.open(namespace, Netlink.NETFILTER));
    }

    /// Makes every address in there one of the namespace's own, so that a connection to it does not leave. What goes to any at all (0 bits) comes from the loopback's own.
    public void route(List<Block> blocks) {
        if (blocks.isEmpty()) {
            return;
        }
        try (var routes = Netlink.open(namespace, Netlink.ROUTE)) {
            var to = new NetlinkMessage();
            for (Block block : blocks) {
                int family = NftRules.four(block.first()) ? 2 : 10;
                to.message(24, NetlinkMessage.ACK | NetlinkMessage.CREATE | NetlinkMessage.REPLACE);
                to.bytes((byte) family, (byte) block.bits(), (byte) 0, (byte) 0, (byte) 255, (byte) 4, (byte) 254, (byte) 2, (byte) 0, (byte) 0, (byte) 0, (byte) 0);
                if (block.bits() > 0) {
                    to.attribute(1, block.first().getAddress());
                }
                to.local(4, 1);
                if (block.bits() == 0) {
                    to.attribute(7, loopback(family == 2).getAddress()); // a program that asks which address it would use is told one that is its own
                }
            }
            routes.send(to, "routes of a namespace");
        }
    }

    /// At once and whole, in place of all that was granted before.
    public void replace(Grants grants) {
        var to = new NetlinkMessage();
        NftRules.begin(to);
        family(to, true, grants);
        family(to, false, grants);
        NftRules.end(to);
        filter.send(to, "packet rules of a namespace");
    }

    /// More, to what `replace` granted. Some thousands at a time.
    public void grant(List<Pair> pairs, List<InetAddress> hosts) {
        var to = new NetlinkMessage();
        NftRules.begin(to);
        for (boolean four : new boolean[] {true, false}) {
            elements(new NftRules(to, four, TABLE), four, pairs, hosts);
        }
        NftRules.end(to);
        filter.send(to, "grants of a namespace");
    }

    private static void elements(NftRules rules, boolean four, List<Pair> pairs, List<InetAddress> hosts) {
        rules.elements("pairs", pairs.stream().filter(p -> NftRules.four(p.address()) == four).map(p -> NftRules.key(p.address(), p.port())).toList());
        rules.elements("hosts", hosts.stream().filter(h -> NftRules.four(h) == four).map(NftRules::key).toList());
    }

    private static void family(NetlinkMessage to, boolean four, Grants grants) {
        var rules = new NftRules(to, four, TABLE);
        int addressType = four ? 7 : 8;
        int length = four ? 4 : 16;
        rules.table();
        rules.set("pairs", PAIRS, addressType << 6 | PORT_TYPE, length + 4);
        rules.set("hosts", HOSTS, addressType, length);
        var pairs = new ArrayList<>(grants.pairs());
        pairs.add(new Pair(grants.resolver(), 53));
        elements(rules, four, pairs, grants.hosts());
        translations(rules, four, grants);
        refusals(rules, four, grants.listener());
    }

    private static void translations(NftRules rules, boolean four, Grants grants) {
        rules.outputChain("translate", "nat", -100);
        rules.rule("translate", () -> {
            loopback(rules, four);
            rules.accept();
        });
        if (NftRules.four(grants.resolver()) == four) {
            rules.rule("translate", () -> {
                rules.protocol(UDP);
                rules.destinationIn(grants.resolver(), four ? 32 : 128);
                rules.destinationPort(53);
                rules.redirect(grants.datagrams());
            });
        }
        rules.rule("translate", () -> {
            rules.protocol(TCP);
            rules.inSet("pairs", PAIRS, true);
            rules.redirect(grants.listener());
        });
        rules.rule("translate", () -> {
            rules.protocol(TCP);
            rules.inSet("hosts", HOSTS, false);
            rules.redirect(grants.listener());
        });
        for (Block block : grants.blocks()) {
            if (NftRules.four(block.first()) == four) {
                rules.rule("translate", () -> {
                    rules.protocol(TCP);
                    if (block.bits() > 0) {
                        rules.destinationIn(block.first(), block.bits());
                    }
                    rules.redirect(grants.listener());
                });
            }
        }
    }

    private static void refusals(NftRules rules, boolean four, int listener) {
        rules.outputChain("refuse", "filter", 0);
        rules.rule("refuse", () -> {
            rules.tracked(STATUS, TRANSLATED);
            rules.accept();
        });
        rules.rule("refuse", () -> {
            rules.tracked(STATE, ESTABLISHED_OR_RELATED);
            rules.accept();
        });
        reset(rules, () -> rules.destinationPort(listener));
        rules.rule("refuse", () -> {
            loopback(rules, four);
            rules.accept();
        });
        reset(rules, () -> { });
        rules.rule("refuse", () -> {
            rules.log(PacketLog.GROUP, PacketLog.BYTES);
            rules.unreachable();
        });
    }

    /// TCP, where it is of these. What begins no connection is the rest of one, and no attempt.
    private static void reset(NftRules rules, Runnable these) {
        rules.rule("refuse", () -> {
            rules.protocol(TCP);
            these.run();
            rules.begins();
            rules.log(PacketLog.GROUP, PacketLog.BYTES);
        });
        rules.rule("refuse", () -> {
            rules.protocol(TCP);
            these.run();
            rules.reset();
        });
    }

    private static void loopback(NftRules rules, boolean four) {
        rules.destinationIn(InetAddress.ofLiteral(four ? "127.0.0.0" : "::1"), four ? 8 : 128);
    }

    private static InetAddress loopback(boolean four) {
        return InetAddress.ofLiteral(four ? "127.0.0.1" : "::1");
    }

    @Override
    public void close() {
        filter.close();
    }
}
