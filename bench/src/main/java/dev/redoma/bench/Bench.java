// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import java.util.List;

/// One measurement: takes its floor in the same run and gives its figures.
interface Bench {

    String name();

    List<Figure> run(Rig rig) throws Exception;

    /// What its server is told.
    default RigOptions options() {
        return RigOptions.standard();
    }

    /// All, in the order in which they are run.
    static List<Bench> all() {
        return List.of(new CreateBench(), new ExecBench(), new FileBench(), new OutputBench(), new DiskBench(), new ChurnBench(), new DensityBench(),
                new StartBench(), new VersionBench(), new SmallFilesBench(), new ImageBench(), new RecipeBench(), new E2bBench("js"),
                new E2bBench("python"), new RouterBench(), new EgressTlsBench(), new EgressStreamBench(), new EgressHttpBench(), new EgressInterceptedBench(), new EgressLeafBench(), new EgressDnsBench(), new EgressDensityBench(), new EgressCreateBench(), new ChangesBench(), new LedgerBench());
    }
}
