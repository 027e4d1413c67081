// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import dev.redoma.model.Problem;
import dev.redoma.model.RedomaException;
import java.util.List;

/// Starts the server. Prints `ready URL` on stdout when it serves; ends at SIGTERM with sandboxes left running; exit codes: 0, 1 for
/// what cannot be done here, 2 for a wrong command line or configuration.
public final class Main {
    private Main() {}

    public static void main(String[] arguments) throws InterruptedException {
        House house;
        try {
            var options = Options.parse(List.of(arguments));
            System.setProperty(LogSetup.DIRECTORY, options.dataDir().toString());
            house = House.open(options, System.getenv());
        } catch (RedomaException refused) {
            var problem = refused.problem();
            System.err.println("redoma: " + told(problem));
            System.exit(problem.code().status() == 400 ? 2 : 1);
            return;
        }
        Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().name("stop").unstarted(house::close));
        System.out.println("ready " + house.url());
        System.out.flush();
        Thread.currentThread().join();
    }

    /// In two sentences.
    static String told(Problem problem) {
        return problem.message() + (problem.message().endsWith(".") ? " " : ". ") + problem.remedy();
    }
}
