// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.RedomaClient;
import java.lang.reflect.InvocationTargetException;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/// Measurements; the bench room does them, found by name because nothing may depend on it.
@Command(name = "bench", description = "Measure, each figure beside its floor of the same run: 'redoma bench NAME|all --json'.")
final class Bench extends Verb {
    private static final String MAIN = "dev.redoma.bench.Main";

    @Parameters(arity = "0..*", paramLabel = "NAME")
    List<String> names = List.of();

    Bench(Io io) {
        super(io);
    }

    @Override
    int run(RedomaClient client) {
        return delegate(names.toArray(new String[0]), io);
    }

    static int delegate(String[] args, Io io) {
        try {
            Class.forName(MAIN).getMethod("main", String[].class).invoke(null, (Object) args);
            return Exit.OK;
        } catch (ClassNotFoundException absent) {
            throw new Failed(Exit.FAILURE, "The bench room is not on the class path.", "Call it by ./redoma in a checkout.");
        } catch (InvocationTargetException failed) {
            var cause = failed.getCause();
            return Report.of(cause instanceof Exception e ? e : new IllegalStateException(cause), io, false, false);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("no main in " + MAIN, e);
        }
    }
}
