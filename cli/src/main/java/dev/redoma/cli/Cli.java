// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/// Arguments to verb to exit code.
final class Cli {
    private Cli() {}

    @Command(name = "redoma", description = "Sandboxes for agents: what runs is held, limited and recorded.",
            footer = "%n'redoma VERB --help' tells more about each.", synopsisSubcommandLabel = "VERB", usageHelpAutoWidth = true)
    static final class Root {
        @Option(names = {"-h", "--help"}, usageHelp = true, description = "Show this help.")
        boolean help;

        @Option(names = {"-V", "--version"}, versionHelp = true, description = "Show the version.")
        boolean version;
    }

    /// `commandLine`: the process's arguments as bytes, of which the last are these.
    static int run(String[] args, Io io, byte[] commandLine) {
        try {
            RawArguments.requireText(commandLine, args.length);
        } catch (Failed failed) {
            return Report.of(failed, io, false, args.length > 0 && List.of("run", "exec", "attach", "shell").contains(args[0]));
        }
        return run(args, io);
    }

    static int run(String[] args, Io io) {
        try {
            if (args.length > 0 && args[0].equals("bench") && !asksForHelp(args)) {
                return Bench.delegate(Arrays.copyOfRange(args, 1, args.length), io);
            }
            return line(args, io).execute(args);
        } catch (Failed failed) {
            return Report.of(failed, io, false, false);
        }
    }

    private static boolean asksForHelp(String[] args) {
        return Arrays.stream(args).anyMatch(arg -> arg.equals("-h") || arg.equals("--help"));
    }

    /// Only the verb that is named, if one is; all of them for help and completion.
    static CommandLine line(String[] args, Io io) {
        var factory = factory(io);
        var line = new CommandLine(new Root(), factory);
        line.getCommandSpec().version("redoma " + Version.text());
        var asked = args.length == 0 ? null : Verbs.make(args[0], io);
        if (asked != null) {
            line.addSubcommand(args[0], asked);
        } else {
            Verbs.NAMES.forEach(name -> line.addSubcommand(name, Verbs.make(name, io)));
        }
        return settings(line, io);
    }

    private static CommandLine settings(CommandLine line, Io io) {
        line.setOut(new PrintWriter(io.out(), true, StandardCharsets.UTF_8));
        line.setErr(new PrintWriter(io.err(), true, StandardCharsets.UTF_8));
        line.setUnmatchedOptionsArePositionalParams(false);
        line.setParameterExceptionHandler((problem, args) -> usage(problem, args, io));
        line.setExecutionExceptionHandler((problem, at, parsed) -> Report.of(problem, io, json(at), carries(at)));
        line.setExecutionStrategy(parsed -> {
            var last = parsed;
            while (last.hasSubcommand()) {
                last = last.subcommand();
            }
            if (!(last.commandSpec().userObject() instanceof Verb) && !last.isUsageHelpRequested() && !last.isVersionHelpRequested()) {
                last.commandSpec().commandLine().usage(io.err());
                return Exit.USAGE;
            }
            return new CommandLine.RunLast().execute(parsed);
        });
        return line;
    }

    private static int usage(ParameterException problem, String[] args, Io io) {
        var at = problem.getCommandLine();
        var verb = problem instanceof CommandLine.UnmatchedArgumentException unmatched && at.getParent() == null ? unmatched.getUnmatched().getFirst() : "-";
        var said = String.valueOf(verb.startsWith("-") ? said(problem) : "no verb '" + verb + "'");
        var remedy = "see '" + at.getCommandSpec().qualifiedName() + " --help'" + (carries(at) ? "; '--' goes before the command" : "");
        boolean json = Arrays.stream(args).takeWhile(arg -> !arg.equals("--")).anyMatch("--json"::equals);
        return Report.of(new Failed(Exit.USAGE, said, remedy), io, json, carries(at));
    }

    /// As picocli says it, but for values of NAME=VALUE, which it doubles a word about.
    private static @Nullable String said(ParameterException problem) {
        return problem.getArgSpec() instanceof CommandLine.Model.OptionSpec option && option.typeInfo().isMap() && problem.getValue() != null && !problem.getValue().isEmpty()
                ? option.longestName() + ": '" + Text.safe(problem.getValue()) + "' is not of the form " + option.paramLabel()
                : problem.getMessage();
    }

    private static boolean json(CommandLine at) {
        return at.getCommand() instanceof Verb verb && verb.json;
    }

    private static boolean carries(CommandLine at) {
        return at.getCommand() instanceof Verb verb && verb.carriesExitCode();
    }

    /// Verbs of groups take the streams too.
    private static CommandLine.IFactory factory(Io io) {
        return new CommandLine.IFactory() {
            @Override
            public <K> K create(Class<K> type) throws Exception {
                if (Verb.class.isAssignableFrom(type)) {
                    return type.getDeclaredConstructor(Io.class).newInstance(io);
                }
                return CommandLine.defaultFactory().create(type);
            }
        };
    }

    /// The product's version, from the jar's manifest when there is one.
    static final class Version {
        private Version() {}

        static String text() {
            @Nullable String version = Cli.class.getPackage().getImplementationVersion();
            return version == null ? "0.1.0-SNAPSHOT" : version;
        }
    }
}
