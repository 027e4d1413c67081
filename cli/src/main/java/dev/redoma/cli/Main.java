// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

/// The command line.
public final class Main {
    private Main() {}

    public static void main(String[] args) {
        System.exit(Cli.run(args, Io.system()));
    }
}
