// SPDX-License-Identifier: Apache-2.0
package dev.redoma.http.connect;

import dev.redoma.http.Exchange;
import dev.redoma.http.Json;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.RedomaException;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Runs calls of the Connect protocol: reads the request, writes the answer, and renders errors as the protocol wants them. A stream always has
/// an end frame, unless it is broken off on purpose ([Exchange#brokenOff]) or nobody is left to read it. Stateless.
public final class Connect {
    private static final Logger LOG = LoggerFactory.getLogger(Connect.class);
    private static final int MOST = 32 << 20;

    private Connect() {}

    /// A call with one request and one answer.
    @FunctionalInterface
    public interface Unary {
        Object answer(Message request) throws Exception;
    }

    /// A call that is answered by a stream.
    @FunctionalInterface
    public interface Streaming {
        void answer(Message request, Frames out) throws Exception;
    }

    /// A call that is a stream of requests and has one answer.
    @FunctionalInterface
    public interface Upstream {
        Object answer(Messages requests) throws Exception;
    }

    public static void unary(Exchange http, Unary call) throws Exception {
        try {
            media(http, "application/json");
            var body = http.body(MOST);
            var answer = call.answer(Message.parse(Messages.bounded(gzip(http, "Content-Encoding") ? new GZIPInputStream(body) : body, MOST)));
            http.json(200, answer);
        } catch (RedomaException refused) {
            refuse(http, refused.problem());
        }
    }

    public static void streaming(Exchange http, Streaming call) throws Exception {
        stream(http, (requests, out) -> call.answer(requests.only(), out));
    }

    public static void upstream(Exchange http, Upstream call) throws Exception {
        stream(http, (requests, out) -> out.put(call.answer(requests)));
    }

    private interface Body {
        void run(Messages requests, Frames out) throws Exception;
    }

    private static void stream(Exchange http, Body body) throws Exception {
        try {
            media(http, "application/connect+json");
        } catch (RedomaException refused) {
            refuse(http, refused.problem());
            return;
        }
        InputStream in = http.body(Long.MAX_VALUE);
        var requests = new Messages(in, gzip(http, "Connect-Content-Encoding"), MOST);
        var out = new Frames(http.stream(200, "application/connect+json", -1));
        try {
            body.run(requests, out);
        } catch (RedomaException refused) {
            out.end(error(refused.problem()));
            return;
        } catch (RuntimeException failed) {
            LOG.error("{}", http.path(), failed);
            out.end(Map.of("code", ConnectCode.INTERNAL.wire(), "message", "Something failed inside the server."));
            return;
        }
        out.end();
    }

    private static void media(Exchange http, String wanted) {
        var media = http.header("Content-Type");
        if (media == null || !media.split(";", 2)[0].strip().equalsIgnoreCase(wanted)) {
            throw Problem.of(Code.UNSUPPORTED_MEDIA, "The call is " + media + ".", "Send " + wanted + ": calls are taken in JSON only.").raise();
        }
    }

    private static boolean gzip(Exchange http, String header) {
        var encoding = http.header(header);
        if (encoding == null || encoding.equalsIgnoreCase("identity")) {
            return false;
        }
        if (encoding.equalsIgnoreCase("gzip")) {
            return true;
        }
        throw Problem.of(Code.NOT_OFFERED, "The encoding " + encoding + " is not known.", "Send gzip or nothing.").raise();
    }

    /// The answer to a call that is not run at all.
    public static void refuse(Exchange http, Problem problem) throws IOException {
        if (problem.code() == Code.UNSUPPORTED_MEDIA) {
            http.set("Accept-Post", "application/json, application/connect+json");
            http.bytes(415, "application/json", Json.bytes(error(problem)));
            return;
        }
        http.bytes(ConnectCode.of(problem.code()).status(), "application/json", Json.bytes(error(problem)));
    }

    private static Map<String, Object> error(Problem problem) {
        return Map.of("code", ConnectCode.of(problem.code()).wire(), "message", problem.message(), "details", List.of());
    }
}
