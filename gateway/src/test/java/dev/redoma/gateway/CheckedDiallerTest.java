// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.redoma.model.Code;
import dev.redoma.model.RedomaException;
import dev.redoma.policy.AddressKind;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CheckedDiallerTest {

    @ParameterizedTest
    @CsvSource({
        "0.0.0.0,unspecified", "0.1.2.3,unspecified", "127.0.0.1,loopback", "127.255.255.254,loopback", "10.0.0.1,private", "172.16.0.1,private", "172.31.255.255,private",
        "192.168.1.1,private", "100.64.0.1,shared", "100.127.255.255,shared", "169.254.169.254,link-local", "224.0.0.1,multicast", "239.255.255.255,multicast",
        "240.0.0.1,reserved", "255.255.255.255,reserved", "192.0.0.192,reserved", "192.0.2.1,reserved", "198.18.0.1,reserved", "198.51.100.1,reserved", "203.0.113.9,reserved",
        "::,unspecified", "::1,loopback", "fe80::1,link-local", "fc00::1,private", "fdff::1,private", "fec0::1,private", "ff02::1,multicast",
        "::127.0.0.1,loopback", "64:ff9b::7f00:1,loopback", "64:ff9b::a00:1,private", "64:ff9b::808:808,tunnelled", "64:ff9b:1::a00:1,tunnelled", "2002:7f00:1::,loopback",
        "2002:a00:1::1,private", "2001::1,tunnelled", "2001:db8::1,reserved", "2a00::5efe:7f00:1,tunnelled", "2a00::200:5efe:a00:1,tunnelled", "100::1,reserved", "4000::1,reserved"})
    void anAddressThatIsNotPublicIsKnownAsWhatItIs(String address, String kind) throws IOException {
        assertThat(AddressRules.of(InetAddress.getByName(address).getAddress()).map(Object::toString)).contains(kind);
    }

    @Test
    void fourWithinSixCountsAsWhatItStandsFor() {
        var mapped = new byte[] {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1, 127, 0, 0, 1};
        assertThat(AddressRules.of(mapped)).contains(AddressKind.LOOPBACK);
    }

    @ParameterizedTest
    @ValueSource(strings = {"8.8.8.8", "1.1.1.1", "172.15.0.1", "172.32.0.1", "100.63.0.1", "100.128.0.1", "192.167.1.1", "2a00:1450::1", "2606:4700::1111"})
    void publicAddressesAreTaken(String address) throws IOException {
        assertThat(AddressRules.of(InetAddress.getByName(address))).isEmpty();
    }

    @Test
    void oneBadAddressOfANameRefusesIt() throws IOException {
        var both = new InetAddress[] {InetAddress.getByName("8.8.8.8"), InetAddress.getByName("10.0.0.1")};
        var dialler = new CheckedDialler(host -> both, Duration.ofSeconds(5));
        refused(() -> dialler.dial("mixed.example", 443, false, s -> {}), "10.0.0.1", "private");
    }

    @Test
    void thisHostsOwnAddressesAreRefused() throws IOException {
        var own = java.net.NetworkInterface.networkInterfaces().flatMap(java.net.NetworkInterface::inetAddresses).toList();
        assertThat(own).allSatisfy(a -> assertThat(AddressRules.of(a)).as(a.toString()).isPresent());
    }

    @Test
    void aNameIsResolvedOnceAndTheCheckedAddressIsDialled() throws IOException {
        try (var server = new ServerSocket(0, 5, InetAddress.getByName("127.0.0.1"))) {
            var looked = new AtomicInteger();
            var dialler = new CheckedDialler(host -> {
                looked.incrementAndGet();
                return new InetAddress[] {InetAddress.getByName("127.0.0.1")};
            }, Duration.ofSeconds(5));
            var begun = new ArrayList<Object>();
            try (var socket = dialler.dial("inside.example", server.getLocalPort(), true, begun::add); var accepted = server.accept()) {
                assertThat(accepted.getPort()).isEqualTo(socket.getLocalPort());
            }
            assertThat(looked).hasValue(1);
            assertThat(begun).hasSize(1);
            refused(() -> dialler.dial("inside.example", server.getLocalPort(), false, s -> {}), "loopback", "allow-private");
        }
    }

    @Test
    void someAddressesAreDialledUnderNoConfiguration() throws IOException {
        for (var address : List.of("169.254.169.254", "0.0.0.0", "224.0.0.1", "fe80::1")) {
            var only = new InetAddress[] {InetAddress.getByName(address)};
            refused(() -> new CheckedDialler(host -> only, Duration.ofSeconds(5)).dial("metadata.example", 80, true, s -> {}), "is not dialled", "Nothing there");
        }
    }

    private static void refused(org.assertj.core.api.ThrowableAssert.ThrowingCallable call, String... words) {
        assertThatThrownBy(call).isInstanceOfSatisfying(RedomaException.class, e -> {
            assertThat(e.problem().code()).isEqualTo(Code.ADDRESS_REFUSED);
            assertThat(e.problem().message() + e.problem().remedy()).contains(words);
        });
    }
}
