// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import dev.redoma.kernel.NetworkNamespace;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/// A network of its own that leads nowhere, held by a process that ends with this one.
record Network(Process holder, NetworkNamespace namespace) implements AutoCloseable {

    /// `addresses`: what its loopback has beside its own.
    static Network make(String... addresses) throws IOException {
        var script = new StringBuilder("ip link set lo up");
        for (var address : addresses) {
            script.append(" && ip addr add ").append(address).append("/32 dev lo");
        }
        var holder = new ProcessBuilder("unshare", "--net", "sh", "-c", script + " && echo ready && exec cat").redirectErrorStream(true).start();
        var said = new String(holder.getInputStream().readNBytes(6), StandardCharsets.UTF_8);
        if (!said.equals("ready\n")) {
            holder.destroy();
            throw new IOException("no network could be made: " + said + new String(holder.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
        }
        return new Network(holder, NetworkNamespace.ofProcess(holder.pid()));
    }

    @Override
    public void close() {
        namespace.close();
        holder.destroy();
    }
}
