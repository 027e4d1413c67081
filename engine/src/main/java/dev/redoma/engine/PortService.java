// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Caller;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.RedomaException;
import dev.redoma.model.SandboxId;
import dev.redoma.model.Scope;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.net.UnknownHostException;
import java.nio.channels.SocketChannel;
import java.util.Optional;

/// Connections into running sandboxes: the socket is made inside the sandbox's network namespace, which has no way out but its own loopback.
final class PortService implements Ports {
    private static final InetAddress LOOPBACK_4 = address(127, 0, 0, 1);
    private static final InetAddress LOOPBACK_6 = address(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1);

    private final LiveBoxes boxes;

    PortService(LiveBoxes boxes) {
        this.boxes = boxes;
    }

    private static InetAddress address(int... bytes) {
        var raw = new byte[bytes.length];
        for (int i = 0; i < raw.length; i++) {
            raw[i] = (byte) bytes[i];
        }
        try {
            return InetAddress.getByAddress(raw);
        } catch (UnknownHostException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    @Override
    public SocketChannel connect(Caller caller, String sandbox, int port) {
        if (port < 1 || port > 65_535) {
            throw Problem.field("port", port + " is no port", "1 to 65535");
        }
        var live = used(caller, sandbox);
        try {
            return connected(live, new InetSocketAddress(LOOPBACK_4, port));
        } catch (IOException refused) {
            try {
                return connected(live, new InetSocketAddress(LOOPBACK_6, port));
            } catch (IOException too) {
                throw nothing(live, port, refused);
            }
        }
    }

    @Override
    public void awake(Caller caller, String sandbox) {
        used(caller, sandbox);
    }

    @Override
    public Optional<Seen> seen(String sandbox) {
        return SandboxId.looksLike(sandbox) ? boxes.seen(sandbox) : Optional.empty();
    }

    private Live used(Caller caller, String sandbox) {
        if (!caller.scopes().contains(Scope.EXEC)) {
            caller.need(Scope.READ);
        }
        return boxes.used(caller, sandbox);
    }

    private static SocketChannel connected(Live live, InetSocketAddress to) throws IOException {
        var channel = live.inlet().socket();
        try {
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            channel.connect(to); // loopback: answered at once, one way or the other
            live.carries(channel);
            return channel;
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    private static RedomaException nothing(Live live, int port, IOException why) {
        if (!live.instance().alive()) {
            return Problem.of(Code.GUEST_UNREACHABLE, "The sandbox has just ended.", "See why it ended.").raise(why);
        }
        return Problem.of(Code.NOTHING_LISTENS, "Nothing listens on port " + port + " of the sandbox.", "Start the program, and let it listen on 127.0.0.1 or all addresses.")
                .with("port", port).raise(why);
    }
}
