// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SocketChannel;

/// Where questions to name servers begin.
public interface NameServerSockets {
    NameServerSockets OWN = new NameServerSockets() {
        @Override
        public DatagramChannel datagram(StandardProtocolFamily family) throws IOException {
            return DatagramChannel.open(family);
        }

        @Override
        public SocketChannel stream() throws IOException {
            return SocketChannel.open();
        }
    };

    DatagramChannel datagram(StandardProtocolFamily family) throws IOException;

    SocketChannel stream() throws IOException;
}
