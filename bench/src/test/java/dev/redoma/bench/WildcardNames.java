// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;

/// The names of one domain and all below it, on an address of loopback that is this test's alone, for programs that are started with it: they see a
/// mount namespace whose resolver is this one. Nothing else on the machine sees it.
final class WildcardNames implements AutoCloseable {
    private static final int DNS = 53;
    private static final int A = 1;

    private final String domain;
    private final InetAddress address;
    private final DatagramSocket socket;
    private final Path resolv;
    private final Path order;

    private WildcardNames(String domain, InetAddress address, DatagramSocket socket, Path resolv, Path order) {
        this.domain = domain;
        this.address = address;
        this.socket = socket;
        this.resolv = resolv;
        this.order = order;
    }

    static WildcardNames serve(String domain, Path dir) throws IOException {
        var random = ThreadLocalRandom.current();
        for (int i = 0; ; i++) {
            var address = InetAddress.getByAddress(new byte[] {127, (byte) random.nextInt(64, 250), (byte) random.nextInt(250), (byte) random.nextInt(2, 250)});
            try {
                var names = new WildcardNames(domain, address, new DatagramSocket(new InetSocketAddress(address, DNS)),
                        Files.writeString(dir.resolve("resolv.conf"), "nameserver " + address.getHostAddress() + "\noptions timeout:5 attempts:2\n"),
                        Files.writeString(dir.resolve("nsswitch.conf"), "hosts: files dns\n"));
                Thread.ofPlatform().daemon().name("names").start(names::answer);
                return names;
            } catch (SocketException taken) {
                if (i == 20) {
                    throw taken;
                }
            }
        }
    }

    /// Where every name leads.
    String address() {
        return address.getHostAddress();
    }

    /// The command with these names in place of the machine's.
    List<String> around(List<String> argv) {
        var all = new ArrayList<>(List.of("unshare", "--mount", "--propagation", "private", "sh", "-c",
                "mount --bind \"$0\" /etc/resolv.conf && mount --bind \"$1\" /etc/nsswitch.conf && shift && exec \"$@\"", resolv.toString(), order.toString()));
        all.addAll(argv);
        return all;
    }

    private void answer() {
        var bytes = new byte[512];
        while (!socket.isClosed()) {
            try {
                var packet = new DatagramPacket(bytes, bytes.length);
                socket.receive(packet);
                var answer = answer(ByteBuffer.wrap(bytes, 0, packet.getLength()));
                socket.send(new DatagramPacket(answer, answer.length, packet.getSocketAddress()));
            } catch (SocketException closed) {
                return;
            } catch (IOException | RuntimeException odd) {
                throw odd instanceof IOException io ? new UncheckedIOException(io) : (RuntimeException) odd;
            }
        }
    }

    /// An address for an A question of a name that is ours, nothing for its other questions, and no such name for the rest.
    private byte[] answer(ByteBuffer question) {
        var name = new StringBuilder();
        int at = 12;
        for (int length; (length = question.get(at) & 0xff) > 0; at += length + 1) {
            name.append(name.isEmpty() ? "" : ".").append(new String(question.array(), at + 1, length, StandardCharsets.US_ASCII));
        }
        int end = at + 5;
        var asked = name.toString().toLowerCase(Locale.ROOT);
        boolean ours = asked.equals(domain) || asked.endsWith("." + domain);
        boolean told = ours && question.getShort(at + 1) == A;
        var answer = ByteBuffer.allocate(end + (told ? 16 : 0));
        answer.put(question.array(), 0, end);
        answer.putShort(2, (short) (ours ? 0x8580 : 0x8583));
        answer.putShort(4, (short) 1).putShort(6, (short) (told ? 1 : 0)).putShort(8, (short) 0).putShort(10, (short) 0);
        if (told) {
            answer.putShort((short) 0xc00c).putShort((short) A).putShort((short) 1).putInt(5).putShort((short) 4).put(address.getAddress());
        }
        return answer.array();
    }

    @Override
    public void close() {
        socket.close();
    }
}
