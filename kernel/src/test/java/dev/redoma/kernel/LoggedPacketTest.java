// SPDX-License-Identifier: Apache-2.0
package dev.redoma.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Where logged packets were to go, by bytes that programs inside may choose.
class LoggedPacketTest {
    private static final String FOUR = "45000028000040004006000" + "07f0000012d000001";
    private static final String SIX_ADDRESSES = "00000000000000000000000000000001" + "2a000045000000000000000000000001";

    @ParameterizedTest
    @CsvSource({
        FOUR + "c00001bb, 6, 45.0.0.1, 443",
        FOUR + "c000, 6, 45.0.0.1, 0", // cut off before its port
        "4700002800004000401100007f0000012d000001" + "0101010101010101" + "c0000035, 17, 45.0.0.1, 53", // options
        "4200002800004000401100007f0000012d000001" + "c0000035, 17, 45.0.0.1, 0", // a header shorter than any
        "4500002800000001401100007f0000012d000001" + "c0000035, 17, 45.0.0.1, 0", // the middle of a datagram
        "4500001c00004000400100007f0000012d000001" + "08000000, 1, 45.0.0.1, 0",
        "4500001cffff4000ff8400007f0000012d000001" + "c00001bb, 132, 45.0.0.1, 0",
        "6000000000140640" + SIX_ADDRESSES + "c00001bb, 6, 2a00:45::1, 443",
        "6000000000140040" + SIX_ADDRESSES + "3c00000000000000" + "1100000000000000" + "c0000035, 17, 2a00:45::1, 53", // two extension headers
        "6000000000142c40" + SIX_ADDRESSES + "1100000100000000" + "c0000035, 17, 2a00:45::1, 53", // the first fragment
        "6000000000142c40" + SIX_ADDRESSES + "1100010000000000" + "c0000035, 17, 2a00:45::1, 0", // another
        "6000000000140040" + SIX_ADDRESSES + "06ff000000000000, 6, 2a00:45::1, 0", // a header that is longer than what is there
        "6000000000143a40" + SIX_ADDRESSES + "8000, 58, 2a00:45::1, 0"})
    void whereItWasToGo(String hex, int protocol, String to, int port) {
        assertThat(LoggedPacket.of(HexFormat.of().parseHex(hex))).contains(new LoggedPacket(protocol, InetAddress.ofLiteral(to), port));
    }

    @ParameterizedTest
    @CsvSource({"''", "45", "45000028000040004006000" + "07f0000012d0000", "60", "6000000000140640" + "0000", "0000000000000000000000000000000000000000000000", "f5000028000040004006000" + "07f0000012d000001c00001bb"})
    void whatIsNoPacket(String hex) {
        assertThat(LoggedPacket.of(HexFormat.of().parseHex(hex))).isEmpty();
    }

    @Test
    void anyBytesAreAnsweredAndNothingIsMadeUp() {
        var random = new Random(33);
        for (int i = 0; i < 100_000; i++) {
            byte[] packet = new byte[random.nextInt(PacketLog.BYTES + 1)];
            random.nextBytes(packet);
            if (packet.length > 0 && random.nextBoolean()) {
                packet[0] = (byte) (random.nextBoolean() ? 0x45 : 0x60);
            }
            LoggedPacket.of(packet).ifPresent(p -> {
                assertThat(p.protocol()).isBetween(0, 255);
                assertThat(p.port()).isBetween(0, 65_535);
                assertThat(p.to().getAddress()).hasSize(packet[0] >> 4 == 4 ? 4 : 16);
            });
        }
    }
}
