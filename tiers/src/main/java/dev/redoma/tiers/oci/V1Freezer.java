// SPDX-License-Identifier: Apache-2.0
package dev.redoma.tiers.oci;

import dev.redoma.kernel.CgroupDir;
import dev.redoma.kernel.Pidfd;
import java.util.stream.Stream;

/// The version 1 freezer, for hosts without any version 2 tree. Killed tasks stay until they are thawed, so a kill freezes (nothing can
/// fork away), signals all, and thaws.
record V1Freezer(CgroupDir dir) implements Freezer {
    private static final int SIGKILL = 9;

    @Override
    public void freeze() {
        Await.until("freezing", () -> {
            dir.set("freezer.state", "FROZEN");
            return frozen();
        });
    }

    @Override
    public void thaw() {
        dir.set("freezer.state", "THAWED");
        Await.until("thawing", () -> state().equals("THAWED"));
    }

    @Override
    public boolean frozen() {
        return state().equals("FROZEN");
    }

    @Override
    public boolean populated() {
        return tree(dir).anyMatch(d -> !d.processes().isEmpty());
    }

    @Override
    public void kill() {
        Await.until("ending all processes", () -> {
            if (!dir.exists() || !populated()) {
                return true;
            }
            freeze();
            tree(dir).flatMap(d -> d.processes().stream()).forEach(V1Freezer::signal);
            thaw();
            return false;
        });
    }

    private static void signal(int pid) {
        Pidfd.open(pid).ifPresent(process -> {
            try (process) {
                process.signal(SIGKILL);
            }
        });
    }

    private static Stream<CgroupDir> tree(CgroupDir top) {
        return Stream.concat(Stream.of(top), top.children().stream().flatMap(V1Freezer::tree));
    }

    private String state() {
        return dir.find("freezer.state").orElse("THAWED");
    }
}
