// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.AnswerNotUnderstoodException;
import dev.redoma.client.ClientException;
import dev.redoma.client.ConnectionLostException;
import dev.redoma.client.RedomaApiException;
import dev.redoma.client.ServerUnreachableException;
import dev.redoma.client.json.Json;
import dev.redoma.model.RedomaException;
import dev.redoma.model.wire.Problem;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;

/// Failures as people and programs read them: what, why, what to do; and the exit code.
final class Report {
    private Report() {}

    static int of(Exception failure, Io io, boolean json, boolean carriesExitCode) {
        if (failure instanceof Io.OutputGone) {
            return Exit.PIPE;
        }
        var problem = problem(failure);
        text(problem, io);
        if (json) {
            io.line(Json.write(Map.of("problem", problem)));
        }
        return carriesExitCode ? Exit.OURS : code(failure);
    }

    private static void text(Problem problem, Io io) {
        io.err().println("redoma: " + problem.detail());
        if (!problem.layer().isEmpty()) {
            io.err().println("  what failed: " + problem.layer() + " (" + problem.code() + ")");
        }
        var details = problem.details();
        if (details != null) {
            details.forEach((name, value) -> detail(name, value, io));
        }
        var remedy = problem.remedy();
        if (remedy != null && !remedy.isEmpty()) {
            io.err().println("  what to do: " + remedy);
        }
    }

    /// Without what only programs read.
    private static void detail(String name, Object value, Io io) {
        if (!name.equals("guestCode")) {
            io.err().println("  " + name + ": " + value);
        }
    }

    private static int code(Exception failure) {
        return switch (failure) {
            case ClientException e -> Exit.of(e);
            case Failed f -> f.code();
            case UncheckedIOException e when e.getCause() != null -> code(e.getCause());
            case java.nio.file.NoSuchFileException none -> Exit.USAGE;
            case java.nio.file.NotDirectoryException not -> Exit.USAGE;
            case RedomaException e -> e.problem().code().status() / 100 == 4 ? Exit.USAGE : Exit.FAILURE;
            default -> Exit.FAILURE;
        };
    }

    private static String code(ClientException e) {
        return switch (e) {
            case RedomaApiException api -> api.code();
            case ServerUnreachableException u -> "server-unreachable";
            case ConnectionLostException l -> "connection-lost";
            case AnswerNotUnderstoodException n -> "answer-not-understood";
        };
    }

    private static Problem problem(Exception failure) {
        return switch (failure) {
            case RedomaApiException e -> e.problem();
            case ClientException e -> local(code(e), String.valueOf(e.getMessage()), e.remedy());
            case Failed f -> local(f.code() == Exit.USAGE ? "usage" : "cli", String.valueOf(f.getMessage()), f.remedy());
            case RedomaException e -> local(e.code().wire(), e.problem().message(), e.problem().remedy());
            case UncheckedIOException e when e.getCause() != null -> file(e.getCause());
            case IOException e -> file(e);
            default -> local("internal", failure.toString(), "This is a fault of ours: please report it with the command that led to it.");
        };
    }

    private static Problem file(IOException e) {
        var what = switch (e) {
            case java.nio.file.NoSuchFileException none -> "No such file or directory: " + none.getFile();
            case java.nio.file.AccessDeniedException denied -> "Access denied: " + denied.getFile();
            case java.nio.file.NotDirectoryException not -> "Not a directory: " + not.getFile();
            default -> String.valueOf(e.getMessage());
        };
        return local("local-io", what, "");
    }

    private static Problem local(String code, String detail, String remedy) {
        return new Problem("urn:redoma:problem:" + code, code, 0, detail, code, "", false, remedy, null);
    }
}
