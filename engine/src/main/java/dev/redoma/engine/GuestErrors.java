// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.engine.proto.Error;
import dev.redoma.engine.proto.Reply;
import dev.redoma.model.Code;
import dev.redoma.model.Layer;
import dev.redoma.model.Problem;
import java.util.regex.Pattern;

/// The guest's errors as problems. The words of the guest are shown, bounded and without control characters, as its own.
final class GuestErrors {
    private static final int MAX_TEXT = 500;
    /// The number adds nothing to the words before it.
    private static final Pattern OS_ERROR = Pattern.compile(" \\(os error \\d{1,5}\\)$");

    private GuestErrors() {}

    /// The reply, unless it is an error; then that is thrown, about `subject` (a path, a user).
    static Reply check(Reply reply, String subject) {
        if (reply.hasError()) {
            throw problem(reply.getError(), subject).raise();
        }
        return reply;
    }

    static Problem unreachable(String why) {
        return Problem.of(Code.GUEST_UNREACHABLE, why, "Try again; if it stays so, stop and start the sandbox.");
    }

    static Problem problem(Error error, String subject) {
        var path = error.getPath().isEmpty() ? subject : clean(FileFacts.text(error.getPath()));
        var said = OS_ERROR.matcher(clean(error.getMessage())).replaceFirst("");
        var text = path + ": " + (said.isEmpty() ? error.getCode().name().toLowerCase(java.util.Locale.ROOT) : said);
        return of(error, text).with("path", path).with("guestCode", error.getCode().name());
    }

    private static Problem of(Error error, String text) {
        return switch (error.getCode()) {
            case NOT_FOUND -> Problem.of(Code.FILE_NOT_FOUND, text, "Check the path; relative ones begin at the user's home.");
            case PERMISSION -> Problem.of(Code.FORBIDDEN, text, "Act as another user, or change the mode or owner.").at(Layer.COMMAND);
            case EXISTS -> Problem.of(Code.FILE_EXISTS, text, "Choose another name, or remove what is there.");
            case NO_SPACE -> Problem.of(Code.DISK_FULL, text, "Remove files inside, or create the sandbox with more disk.");
            case NO_USER -> Problem.of(Code.NO_SUCH_USER, text, "Name a user or uid that the sandbox's /etc/passwd has.");
            case NO_CWD -> Problem.of(Code.NO_SUCH_DIRECTORY, text, "Make the directory first, or choose another cwd.");
            case TOO_LARGE -> Problem.of(Code.PAYLOAD_TOO_LARGE, text, "Send less at a time.").at(Layer.COMMAND);
            case TOO_MANY -> Problem.of(Code.FILE_REFUSED, text, "Ask for less: a smaller depth or a subdirectory.");
            case GONE -> Problem.of(Code.WRONG_STATE, text, "The process has ended or closed its end.").at(Layer.COMMAND);
            case NOT_DIRECTORY, IS_DIRECTORY, NOT_EMPTY, INVALID, NOT_REGULAR, LOOP, READ_ONLY, NAME_TOO_LONG, BUSY ->
                Problem.of(Code.FILE_REFUSED, text, "See what is at that path (files/stat).");
            case IO, UNKNOWN, UNRECOGNIZED -> Problem.of(Code.FILE_REFUSED, text, "The sandbox's kernel or guest said so; try again.");
        };
    }

    static String clean(String text) {
        var out = new StringBuilder();
        text.codePoints().limit(MAX_TEXT).map(c -> Character.isISOControl(c) ? '\uFFFD' : c).forEach(out::appendCodePoint);
        return out.toString();
    }
}
