// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import java.io.IOException;

/// The command line.
public final class Main {
    private Main() {}

    public static void main(String[] args) throws IOException {
        var io = Io.system();
        System.exit(Cli.run(args, io, RawArguments.ofThisProcess()));
    }
}
