// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// A running `GatewayMain`, in a JVM as the server has it.
final class GatewayProcess implements AutoCloseable {
    private final Process process;
    private final BufferedReader answers;

    private GatewayProcess(Process process) {
        this.process = process;
        this.answers = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    static GatewayProcess start(RigPlace place, Network internet, String authority) throws IOException {
        var command = place.jvm();
        var dir = Files.createDirectories(place.dir().resolve("gateway"));
        var believed = Files.writeString(dir.resolve("authorities.pem"), authority);
        command.addAll(List.of(GatewayMain.class.getName(), dir.toString(), Long.toString(internet.holder().pid()), believed.toString()));
        var started = new GatewayProcess(new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.appendTo(place.log().toFile())).start());
        started.answered("ready");
        return started;
    }

    private void answered(String expected) throws IOException {
        for (var line = answers.readLine(); !expected.equals(line); line = answers.readLine()) {
            if (line == null) {
                throw new IOException("the gateway ended; see the rig's log");
            }
        }
    }

    private void order(String line) throws IOException {
        process.outputWriter(StandardCharsets.UTF_8).append(line).append('\n').flush();
        answered("done");
    }

    /// Gives that network the way out of a sandbox.
    void attach(Network sandbox) throws IOException {
        order("attach " + sandbox.holder().pid());
    }

    /// Lets go of what it holds for nothing.
    void rest() throws IOException {
        order("rest");
    }

    long pid() {
        return process.pid();
    }

    @Override
    public void close() throws IOException {
        try {
            process.getOutputStream().close();
            if (!process.waitFor(30, TimeUnit.SECONDS)) {
                throw new IOException("the gateway does not end");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            process.destroyForcibly();
        }
    }
}
