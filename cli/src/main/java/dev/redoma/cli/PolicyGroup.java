// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.RedomaClient;
import dev.redoma.model.wire.PolicyExplanation;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Policies.
@Command(name = "policy", description = "Check, explain, compare and change what sandboxes may reach.", subcommands = {
    PolicyGroup.Check.class, PolicyGroup.Explain.class, PolicyGroup.Difference.class, PolicyGroup.Learn.class, PolicyGroup.Put.class})
final class PolicyGroup {
    @Option(names = {"-h", "--help"}, usageHelp = true)
    boolean help;

    @Command(name = "check", description = "Say whether the server would take a policy, and where it would not.")
    static final class Check extends Verb {
        @Parameters(index = "0", paramLabel = "NAME|FILE")
        String policy = "";

        Check(Io io) {
            super(io);
        }

        @Override
        int run(RedomaClient client) {
            PolicyExplanation told = client.policies().explain(PolicyWord.text(policy));
            if (json) {
                print(Map.of("ok", true, "name", told.name(), "digest", told.digest()));
            } else {
                io.line("ok " + told.digest());
                PolicyReport.narrowed(told).forEach(io::line);
            }
            return Exit.OK;
        }
    }

    @Command(name = "explain", description = "Print what a policy, or that of a sandbox, lets out, where each line came from, and what it cannot exclude.")
    static final class Explain extends Verb {
        @Parameters(index = "0", arity = "0..1", paramLabel = "NAME|FILE")
        @Nullable String policy;

        @Option(names = "--sandbox", paramLabel = "SANDBOX", description = "What is in force for this one.")
        @Nullable String sandbox;

        Explain(Io io) {
            super(io);
        }

        @Override
        int run(RedomaClient client) {
            if ((policy == null) == (sandbox == null)) {
                throw new Failed(Exit.USAGE, "Name either a policy or a --sandbox.", "See 'redoma policy explain --help'.");
            }
            var told = sandbox != null ? client.sandbox(sandbox).policy() : client.policies().explain(PolicyWord.text(String.valueOf(policy)));
            if (json) {
                print(told);
            } else {
                PolicyReport.explanation(told).forEach(io::line);
            }
            return Exit.OK;
        }
    }

    @Command(name = "diff", description = "Print what becomes reachable from one policy to another, and what no longer is.")
    static final class Difference extends Verb {
        @Parameters(index = "0", paramLabel = "BEFORE", description = "A name or a file.")
        String before = "";

        @Parameters(index = "1", paramLabel = "AFTER", description = "A name or a file.")
        String after = "";

        Difference(Io io) {
            super(io);
        }

        @Override
        int run(RedomaClient client) {
            var difference = client.policies().difference(PolicyWord.text(before), PolicyWord.text(after));
            if (json) {
                print(difference);
            } else {
                PolicyReport.difference(difference).forEach(io::line);
            }
            return Exit.OK;
        }
    }

    @Command(name = "learn", description = {"Print the least policy that would have allowed what a sandbox was refused.", "Nothing is changed by it: read it before you use it."})
    static final class Learn extends Verb {
        @Parameters(index = "0", paramLabel = "SANDBOX")
        String sandbox = "";

        Learn(Io io) {
            super(io);
        }

        @Override
        int run(RedomaClient client) {
            var proposal = client.sandbox(sandbox).learnPolicy();
            if (json) {
                print(proposal);
                return Exit.OK;
            }
            proposal.left().forEach(line -> io.line("# left out: " + line));
            io.line(proposal.text().isEmpty() ? "# nothing to propose" : proposal.text().stripTrailing());
            return Exit.OK;
        }
    }

    @Command(name = "set", description = "Give a sandbox another policy; it is in force when this returns.")
    static final class Put extends Verb {
        @Parameters(index = "0", paramLabel = "SANDBOX")
        String sandbox = "";

        @Parameters(index = "1", paramLabel = "NAME|FILE")
        String policy = "";

        Put(Io io) {
            super(io);
        }

        @Override
        int run(RedomaClient client) {
            var told = client.sandbox(sandbox).policy(PolicyWord.text(policy));
            if (json) {
                print(told);
            } else {
                io.line(told.name() + " " + told.digest());
            }
            return Exit.OK;
        }
    }
}
