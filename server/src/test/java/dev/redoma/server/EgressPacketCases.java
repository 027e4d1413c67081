// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import static dev.redoma.server.EgressCase.every;
import static dev.redoma.server.EgressCase.web;

import java.util.ArrayList;
import java.util.List;

/// What is no connection and no question, and attempts to change the network itself. Each is followed by what must go on working.
final class EgressPacketCases {
    private static final String STILL = "\nrun('curl', '-sS', 'http://{h}.allowed.test/still')";

    private EgressPacketCases() {}

    private static EgressCase still(String name, String python) {
        return web(name, python + STILL).leads("45.0.0.1").arrives("45.0.0.1:80 tcp", "45.0.0.1:80 tcp GET /still HTTP/1.1 Host: {h}.allowed.test").records("dns {h}.allowed.test -", "connect {h}.allowed.test -");
    }

    static List<EgressCase> all() {
        var all = new ArrayList<EgressCase>();
        for (var under : List.of("web", "every")) {
            all.add(EgressCase.of("ICMP under " + under, under, "raw('45.0.0.1', 1); raw('45.0.0.1', 1, kind=socket.SOCK_DGRAM); raw('2a00:45::1', 58); raw('2a00:45::1', 58, kind=socket.SOCK_DGRAM); run('ping', '-c', '1', '-W', '1', '45.0.0.1')").records("packet.denied 45.0.0.1 protocol"));
            all.add(EgressCase.of("raw IP of any protocol under " + under, under, "for p in (6, 17, 41, 47, 50, 89, 132, 255): raw('45.0.0.1', p, bytes(64))"));
            all.add(EgressCase.of("SCTP, DCCP and UDP-Lite under " + under, under, """
                    for kind, protocol in ((socket.SOCK_STREAM, 132), (socket.SOCK_SEQPACKET, 132), (6, 33), (socket.SOCK_DGRAM, 136), (socket.SOCK_STREAM, 262)):
                        def go():
                            with socket.socket(socket.AF_INET, kind, protocol) as s:
                                s.settimeout(2); s.connect(('45.0.0.1', 80)); s.send(b'x')
                        if protocol != 262: attempt(go)
                    """).records("packet.denied 45.0.0.1 protocol"));
            all.add(EgressCase.of("UDP to every address under " + under, under, "for a in ('45.0.0.1', '198.18.1.0', '198.18.0.1', '10.9.0.1', '2a00:45::1', '255.255.255.255'):\n  for p in (123, 443, 500, 4500, 51820, 65535): udp(a, p)")
                    .records("packet.denied (45.0.0.1|198.18.0.1|198.18.1.0|.*.test|10.9.0.1|2a00:45:0:0:0:0:0:1) protocol"));
            all.add(EgressCase.of("frames under " + under, under, """
                    def go():
                        with socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3)) as s:
                            s.bind(('lo', 0)); s.send(bytes(12) + b'\\x08\\x00' + bytes(64))
                    attempt(go)
                    """));
        }
        all.add(every("fast open, with data in the first packet", """
                def go():
                    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as s:
                        s.settimeout(3); s.sendto(b'x', 0x20000000, ('10.9.9.9', 8080)); s.recv(1)
                attempt(go)
                """).records("connect.denied 10.9.9.9 private-address"));
        tampering(all);
        return all;
    }

    private static void tampering(List<EgressCase> all) {
        all.add(still("interfaces, addresses and routes", """
                for words in ('link set lo down', 'link add v0 type dummy', 'link add v1 type veth', 'tuntap add mode tun', 'addr add 45.0.0.1/32 dev lo', 'addr add 10.9.0.7/8 dev lo', 'route add default dev lo',
                        'route del table local 198.18.0.0/15', 'route add local 45.0.0.0/8 dev lo', 'rule add from all lookup 5', 'neigh add 10.9.0.1 lladdr 02:00:00:00:00:01 dev lo', 'netns add x', 'link set lo netns 1'):
                    assert run('ip', *words.split()) != 0, words
                """));
        all.add(still("settings of the kernel", """
                for path in ('ipv4/ip_forward', 'ipv4/conf/all/route_localnet', 'ipv4/ip_unprivileged_port_start', 'ipv6/conf/all/forwarding', 'ipv4/conf/lo/accept_local', 'netfilter/nf_conntrack_max'):
                    def go():
                        with open('/proc/sys/net/' + path, 'w') as f: f.write('1')
                        raise SystemExit('written: ' + path)
                    attempt(go)
                """));
        all.add(still("packet rules over netlink", """
                def go(protocol, payload):
                    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, protocol) as s:
                        s.settimeout(2); s.bind((0, 0)); s.send(payload); told(s.recv(4096)[:64])
                batch = struct.pack('=IHHIIBBH', 20, 16, 1, 0, 0, 0, 0, 0x0a00)
                flush = struct.pack('=IHHIIBBH', 20, 0x0a02, 5, 1, 0, 2, 0, 0)
                end = struct.pack('=IHHIIBBH', 20, 17, 1, 2, 0, 0, 0, 0x0a00)
                attempt(go, 12, batch + flush + end)
                attempt(go, 0, struct.pack('=IHHIIBBBBBBBBI', 28, 24, 0x0605, 1, 0, 2, 0, 0, 0, 254, 4, 0, 1, 0))
                """));
        all.add(still("namespaces", """
                import ctypes
                libc = ctypes.CDLL(None, use_errno=True)
                for flags in (0x40000000, 0x50000000, 0x10000000):
                    told('unshare', flags, libc.unshare(flags))
                for pid in (1, os.getppid()):
                    def go():
                        fd = os.open('/proc/%d/ns/net' % pid, os.O_RDONLY)
                        told('setns', libc.setns(fd, 0))
                    attempt(go)
                """));
        for (String hosts : List.of("45.0.0.1", "10.9.0.1", "169.254.169.254", "2a00:45::1")) {
            all.add(web("a file of hosts that says " + hosts, "saved = open('/etc/hosts').read()\ndef go():\n  open('/etc/hosts', 'a').write('" + hosts + " {h}.allowed.test\\n')\nattempt(go)\ntry:\n  literal('" + hosts
                    + "', 8085)\nfinally:\n  attempt(lambda: open('/etc/hosts', 'w').write(saved))").records("connect.denied " + hosts.replace("::", ":0:0:0:0:0:") + " (no-rule|never-dialled)"));
        }
        all.add(web("another resolver in resolv.conf", "saved = open('/etc/resolv.conf').read()\ndef go():\n  open('/etc/resolv.conf', 'w').write('nameserver 45.0.0.55\\n')\n  tcp('{h}.denied.test', 80)\ntry:\n  attempt(go)\nfinally:\n  attempt(lambda: open('/etc/resolv.conf', 'w').write(saved))\nask('{h}.denied.test', server='45.0.0.55')").records("packet.denied 45.0.0.55 protocol"));
        all.add(still("its own servers on ports that are reserved", """
                taken = []
                for port in (53, 80, 443, 61053, 61443, 61444, 61500):
                    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
                        s = socket.socket(socket.AF_INET, kind)
                        s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                        s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
                        for address in ('0.0.0.0', '198.18.0.1', '127.0.0.1'):
                            attempt(s.bind, (address, port))
                        kind == socket.SOCK_STREAM and attempt(s.listen)
                        taken.append(s)
                """));
    }
}
