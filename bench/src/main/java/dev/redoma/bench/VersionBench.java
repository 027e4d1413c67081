// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import dev.redoma.client.Command;
import dev.redoma.client.NewSandbox;
import dev.redoma.client.OutputSink;
import dev.redoma.client.SandboxHandle;
import dev.redoma.model.wire.CreateSnapshot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// What templates that were saved from sandboxes cost: a create from one with 1 GiB changed beside one with 64 MiB; and the disk that 200 of
/// one base take beside the base itself.
final class VersionBench implements Bench {
    private static final int ROUNDS = 24;
    private static final int TEMPLATES = 200;
    private static final int BASE_MEBIBYTES = 256;

    @Override
    public String name() {
        return "templates.versions";
    }

    @Override
    public List<Figure> run(Rig rig) throws Exception {
        try (var cold = Rig.start("bench-versions", RigOptions.standard().withoutWarmPool())) {
            cold.importTiny();
            return List.of(whateverWasChanged(cold), oneBase(cold));
        }
    }

    /// In turns, so that what else goes on meets both.
    private static Figure whateverWasChanged(Rig rig) {
        saved(rig, "few", 64);
        saved(rig, "many", 1024);
        var few = new double[ROUNDS];
        var many = new double[ROUNDS];
        created(rig, "few");
        created(rig, "many");
        for (int i = 0; i < ROUNDS; i++) {
            few[i] = created(rig, "few");
            many[i] = created(rig, "many");
        }
        return new Figure("templates.changed", "ms", new Samples(many), "64 MiB changed", new Samples(few).p50(), new Bar.AtMost(1.2));
    }

    private static void saved(Rig rig, String name, int mebibytes) {
        try (var box = rig.client().create(NewSandbox.from("tiny"))) {
            random(box, "/root/changed", mebibytes);
            save(box, name);
        }
    }

    private static void random(SandboxHandle box, String file, int mebibytes) {
        box.execs().run(Command.of("dd", "if=/dev/urandom", "of=" + file, "bs=1M", "count=" + mebibytes), OutputSink.NONE);
    }

    private static void save(SandboxHandle box, String name) {
        box.save(new CreateSnapshot(name, null));
    }

    private static double created(Rig rig, String template) {
        long start = System.nanoTime();
        try (var box = rig.client().create(NewSandbox.from(template))) {
            return (System.nanoTime() - start) / 1e6;
        }
    }

    private static Figure oneBase(Rig rig) throws IOException {
        long empty = used(rig);
        try (var box = rig.client().create(NewSandbox.from("tiny"))) {
            random(box, "/root/base", BASE_MEBIBYTES);
            save(box, "ground");
        }
        long base = used(rig) - empty;
        for (int i = 0; i < TEMPLATES; i++) {
            try (var box = rig.client().create(NewSandbox.from("ground"))) {
                box.execs().run(Command.of("sh", "-c", "echo " + i + " > /root/own"), OutputSink.NONE);
                save(box, "t" + i);
            }
        }
        double all = (used(rig) - empty) / 1048576.0;
        return new Figure("templates.base", "MiB", Samples.of(all), "the base once", base / 1048576.0, new Bar.AtMost(1.2));
    }

    private static long used(Rig rig) throws IOException {
        Path pool = rig.place().pool();
        Commands.quiet("btrfs", "filesystem", "sync", pool.toString());
        var store = Files.getFileStore(pool);
        return store.getTotalSpace() - store.getUnallocatedSpace();
    }
}
