// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.engine.proto.Go;
import dev.redoma.engine.proto.Hello;
import dev.redoma.engine.proto.Request;
import dev.redoma.kernel.Peer;
import dev.redoma.model.Amounts;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.RedomaException;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The channel over a Unix socket. Everything inside may dial it as often as it likes: who is not the init or a child we wait for
/// is cut off, greetings are few at a time and short, and a flood is slowed down, at its own cost.
final class SocketLink implements GuestLink {
    private static final Logger LOG = LoggerFactory.getLogger(SocketLink.class);
    private static final int BACKLOG = 64;
    private static final int GREETINGS = 32;

    private final Path path;
    private final ServerSocketChannel server;
    private final Spares spares = new Spares();
    private final ConcurrentHashMap<String, Arrival> expected = new ConcurrentHashMap<>();
    private final Semaphore greetings = new Semaphore(GREETINGS);
    private final Pace pace = new Pace();
    private volatile @Nullable Instance instance;

    private SocketLink(Path path, ServerSocketChannel server) {
        this.path = path;
        this.server = server;
    }

    static SocketLink listen(Path directory, long owner) {
        var path = directory.resolve("guest.sock");
        try {
            Files.deleteIfExists(path);
            var server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
            try {
                server.bind(UnixDomainSocketAddress.of(path), BACKLOG);
                Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-------"));
                Files.setAttribute(path, "unix:uid", Math.toIntExact(owner));
                Files.setAttribute(path, "unix:gid", Math.toIntExact(owner));
                return new SocketLink(path, server);
            } catch (IOException | RuntimeException e) {
                server.close();
                throw e;
            }
        } catch (IOException e) {
            throw Problem.of(Code.HOST_FAILED, "The guest's socket could not be made: " + path, "See the server's log.").raise(e);
        }
    }

    @Override
    public void bind(Instance instance) {
        this.instance = instance;
        Thread.ofVirtual().name("redoma-guest-" + instance.ref().name()).start(() -> accept(instance));
    }

    private void accept(Instance instance) {
        while (server.isOpen()) {
            try {
                var channel = server.accept();
                pace.step();
                admit(instance, channel);
            } catch (java.nio.channels.ClosedChannelException e) {
                return;
            } catch (IOException | InterruptedException e) {
                LOG.warn("accept on {}: {}", path, e.toString());
                if (!pause()) {
                    return;
                }
            }
        }
    }

    /// Out of descriptors, for instance: the connection stays in the backlog until there are some again.
    private static boolean pause() {
        try {
            Thread.sleep(50);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /// Where as many are greeting as may, the next waits in the backlog: a greeting is read in 5 s or cut off.
    private void admit(Instance instance, SocketChannel channel) throws InterruptedException {
        greetings.acquire();
        Thread.startVirtualThread(() -> {
            try {
                greet(instance, channel);
            } catch (IOException | RuntimeException e) {
                LOG.debug("connection on {} refused: {}", path, e.toString());
                Greeting.drop(channel);
            }
        });
    }

    private void greet(Instance instance, SocketChannel channel) throws IOException {
        int pid;
        boolean init;
        Hello hello;
        try {
            pid = Peer.of(channel).pid();
            init = pid == instance.ref().pid();
            if (!init && !instance.owns(pid)) {
                throw new IOException("pid " + pid + " is not of this sandbox");
            }
            hello = Greeting.read(channel);
        } finally {
            greetings.release(); // a child then waits for its record: that is the server's time, and those it waits for are few
        }
        if (init != hello.getChildOf().isEmpty()) {
            throw new IOException("pid " + pid + " says what it is not");
        }
        if (init) {
            spares.add(channel);
        } else {
            child(channel, hello.getChildOf(), pid);
        }
    }

    private void child(SocketChannel channel, String exec, int pid) throws IOException {
        try (var op = new SocketOp(channel, Greeting::drop)) {
            var arrival = expected.remove(exec);
            if (arrival != null && arrival.admit(pid)) {
                op.send(Request.newBuilder().setGo(Go.getDefaultInstance()).build());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public GuestOp open(Request request, Duration atMost) {
        long end = System.nanoTime() + atMost.toNanos();
        while (true) {
            var channel = spares.take(end - System.nanoTime());
            if (channel == null) {
                throw GuestErrors.unreachable("The guest offered no connection within " + Amounts.time(atMost) + ".").raise();
            }
            var op = new SocketOp(channel, spares::add);
            try {
                op.send(request);
                return op;
            } catch (RedomaException stale) {
                LOG.debug("spare of {} was broken", path);
                op.close();
            }
        }
    }

    @Override
    public void awaitReady(Duration atMost) {
        if (!spares.awaitFirst(atMost.toNanos())) {
            var who = instance == null ? path.toString() : instance.ref().name();
            throw GuestErrors.unreachable("The guest of " + who + " did not dial within " + Amounts.time(atMost) + ".").raise();
        }
    }

    @Override
    public Expected expect(String exec, Arrival arrival) {
        expected.put(exec, arrival);
        return () -> expected.remove(exec, arrival);
    }

    @Override
    public void close() {
        try {
            server.close();
            Files.deleteIfExists(path);
        } catch (IOException e) {
            LOG.warn("closing {}: {}", path, e.toString());
        }
        spares.close();
    }
}
