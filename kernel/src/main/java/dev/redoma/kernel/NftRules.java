// SPDX-License-Identifier: Apache-2.0
package dev.redoma.kernel;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.List;

/// Expressions of nftables for one family of addresses, in a table of one name. Not thread-safe.
final class NftRules {
    static final int ACCEPT = 1;
    private static final int SUBSYSTEM = 10 << 8;
    private static final int BATCH_BEGIN = 16;
    private static final int BATCH_END = 17;
    private static final int NEW_TABLE = 0;
    private static final int DELETE_TABLE = 2;
    private static final int NEW_CHAIN = 3;
    private static final int NEW_RULE = 6;
    private static final int NEW_SET = 9;
    private static final int NEW_ELEMENTS = 12;
    private static final int OUTPUT_HOOK = 3;
    /// The first of the 4-byte registers; what is compared lies from there on.
    private static final int REGISTER = 8;
    private static final int NETWORK = 1;
    private static final int TRANSPORT = 2;

    private final NetlinkMessage to;
    private final boolean four;
    private final String table;

    NftRules(NetlinkMessage to, boolean four, String table) {
        this.to = to;
        this.four = four;
        this.table = table;
    }

    static void begin(NetlinkMessage to) {
        to.message(BATCH_BEGIN, 0).bytes((byte) 0, (byte) 0, (byte) 0, (byte) 10);
    }

    static void end(NetlinkMessage to) {
        to.message(BATCH_END, 0).bytes((byte) 0, (byte) 0, (byte) 0, (byte) 10);
    }

    private void head(int type, int flags) {
        to.message(SUBSYSTEM | type, flags | NetlinkMessage.ACK).bytes((byte) (four ? 2 : 10), (byte) 0, (byte) 0, (byte) 0);
    }

    /// An empty table, whatever was in it.
    void table() {
        head(NEW_TABLE, NetlinkMessage.CREATE);
        to.text(1, table);
        head(DELETE_TABLE, 0);
        to.text(1, table);
        head(NEW_TABLE, NetlinkMessage.CREATE);
        to.text(1, table);
    }

    void outputChain(String name, String type, int priority) {
        head(NEW_CHAIN, NetlinkMessage.CREATE);
        to.text(1, table).text(3, name).nested(4, () -> to.number(1, OUTPUT_HOOK).number(2, priority)).number(5, ACCEPT).text(7, type);
    }

    /// `keyType` says to people what the keys are.
    void set(String name, int id, int keyType, int keyLength) {
        head(NEW_SET, NetlinkMessage.CREATE);
        to.text(1, table).text(2, name).number(3, 0).number(4, keyType).number(5, keyLength).number(10, id);
    }

    void elements(String set, List<byte[]> keys) {
        if (!keys.isEmpty()) {
            head(NEW_ELEMENTS, NetlinkMessage.CREATE);
            to.text(1, table).text(2, set).nested(3, () -> keys.forEach(key -> to.nested(1, () -> to.nested(1, () -> to.attribute(1, key)))));
        }
    }

    void rule(String chain, Runnable expressions) {
        head(NEW_RULE, NetlinkMessage.CREATE | NetlinkMessage.APPEND);
        to.text(1, table).text(2, chain).nested(4, expressions);
    }

    private void expression(String name, Runnable data) {
        to.nested(1, () -> to.text(1, name).nested(2, data));
    }

    private void equal(byte[] value) {
        expression("cmp", () -> to.number(1, REGISTER).number(2, 0).nested(3, () -> to.attribute(1, value)));
    }

    /// TCP is 6, UDP 17.
    void protocol(int number) {
        expression("meta", () -> to.number(1, REGISTER).number(2, 16));
        equal(new byte[] {(byte) number});
    }

    void destinationPort(int port) {
        portTo(REGISTER);
        equal(new byte[] {(byte) (port >> 8), (byte) port});
    }

    void destinationIn(InetAddress first, int bits) {
        destinationTo();
        int length = length();
        byte[] mask = new byte[length];
        for (int i = 0; i < bits; i++) {
            mask[i / 8] |= (byte) (0x80 >> i % 8);
        }
        mask(mask, length);
        equal(first.getAddress());
    }

    /// Of what conntrack says (0 state, 2 status), any of these bits.
    void tracked(int key, int bits) {
        expression("ct", () -> to.number(1, REGISTER).number(2, key));
        mask(ByteBuffer.allocate(4).order(java.nio.ByteOrder.nativeOrder()).putInt(bits).array(), 4);
        expression("cmp", () -> to.number(1, REGISTER).number(2, 1).nested(3, () -> to.attribute(1, new byte[4])));
    }

    /// Destination and port, or the destination alone, are in the set.
    void inSet(String set, int id, boolean withPort) {
        destinationTo();
        if (withPort) {
            portTo(REGISTER + length() / 4);
        }
        expression("lookup", () -> to.text(1, set).number(2, REGISTER).number(4, id));
    }

    /// To this port of the same address.
    void redirect(int port) {
        expression("immediate", () -> to.number(1, REGISTER).nested(2, () -> to.attribute(1, new byte[] {(byte) (port >> 8), (byte) port})));
        expression("nat", () -> to.number(1, 1).number(2, four ? 2 : 10).number(5, REGISTER));
    }

    void accept() {
        expression("immediate", () -> to.number(1, 0).nested(2, () -> to.nested(2, () -> to.number(1, ACCEPT))));
    }

    /// The first packet of a TCP connection.
    void begins() {
        payload(REGISTER, TRANSPORT, 13, 1);
        mask(new byte[] {0x17}, 1);
        equal(new byte[] {2});
    }

    /// To whoever listens to that group (`PacketLog`), with its first bytes; nowhere while nobody does.
    void log(int group, int bytes) {
        expression("log", () -> to.attribute(1, new byte[] {(byte) (group >> 8), (byte) group}).number(3, bytes));
    }

    void reset() {
        expression("reject", () -> to.number(1, 1).attribute(2, new byte[] {0}));
    }

    /// ICMP: nothing listens at that port.
    void unreachable() {
        expression("reject", () -> to.number(1, 0).attribute(2, new byte[] {(byte) (four ? 3 : 4)}));
    }

    static byte[] key(InetAddress address) {
        return address.getAddress();
    }

    /// Each part of a key takes whole registers.
    static byte[] key(InetAddress address, int port) {
        byte[] a = address.getAddress();
        return ByteBuffer.allocate(a.length + 4).put(a).putShort((short) port).array();
    }

    static boolean four(InetAddress address) {
        return address instanceof Inet4Address;
    }

    private int length() {
        return four ? 4 : 16;
    }

    private void mask(byte[] mask, int length) {
        expression("bitwise", () -> to.number(1, REGISTER).number(2, REGISTER).number(3, length).nested(4, () -> to.attribute(1, mask))
                .nested(5, () -> to.attribute(1, new byte[length])));
    }

    private void destinationTo() {
        payload(REGISTER, NETWORK, four ? 16 : 24, length());
    }

    private void portTo(int register) {
        payload(register, TRANSPORT, 2, 2);
    }

    private void payload(int register, int base, int offset, int length) {
        expression("payload", () -> to.number(1, register).number(2, base).number(3, offset).number(4, length));
    }
}
