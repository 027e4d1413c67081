// SPDX-License-Identifier: Apache-2.0
package dev.redoma.client;

import dev.redoma.client.http.Answer;
import dev.redoma.model.wire.Exec;
import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// Follows one exec's output over broken connections and a restarted server: every try goes on at the offset reached.
final class Follower {
    private static final Duration FIRST_PAUSE = Duration.ofMillis(50);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

    private final Api api;
    private final RunningExec exec;
    private final OutputReader reader;
    private final boolean untilClosed;

    Follower(Api api, RunningExec exec, OutputReader reader, boolean untilClosed) {
        this.api = api;
        this.exec = exec;
        this.reader = reader;
        this.untilClosed = untilClosed;
    }

    /// What is there now, without following.
    Exec once() {
        try (var answer = open(false)) {
            reader.drain(answer.body());
        } catch (IOException e) {
            throw api.lost(e);
        }
        var latest = reader.latest();
        return latest == null ? exec.state() : latest;
    }

    Exec follow() {
        return follow(null);
    }

    /// `begun` is a stream that is already open, or null.
    Exec follow(@Nullable Answer begun) {
        var pause = FIRST_PAUSE;
        long giveUp = System.nanoTime() + api.patience().reconnect().toNanos();
        var first = begun;
        while (true) {
            long before = reader.offset();
            var failure = attempt(first);
            first = null;
            if (failure == null) {
                return ended();
            }
            if (reader.offset() > before) {
                pause = FIRST_PAUSE;
                giveUp = System.nanoTime() + api.patience().reconnect().toNanos();
            }
            if (System.nanoTime() > giveUp) {
                throw failure;
            }
            rest(pause, failure);
            pause = pause.multipliedBy(2).compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : pause.multipliedBy(2);
        }
    }

    /// Null when the stream came to its proper end; otherwise why not, if that may pass.
    private @Nullable ClientException attempt(@Nullable Answer begun) {
        try (var answer = begun == null ? open(true) : begun) {
            reader.drain(answer.body());
            return reader.ended() ? null : api.lost(new IOException("the stream ended before the command's exit"));
        } catch (IOException broken) {
            return reader.ended() && !untilClosed ? null : api.lost(broken);
        } catch (ServerUnreachableException | ConnectionLostException away) {
            return away;
        } catch (RedomaApiException refused) {
            if (refused.problem().retryable()) {
                return refused;
            }
            throw refused;
        }
    }

    private Exec ended() {
        var latest = reader.latest();
        if (latest == null) {
            throw new IllegalStateException("an ended stream without its exec");
        }
        return latest;
    }

    private static void rest(Duration pause, ClientException failure) {
        try {
            Thread.sleep(pause);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failure;
        }
    }

    private Answer open(boolean follow) throws IOException {
        var target = exec.at("/output").with("offset", reader.offset()).with("follow", follow).with("untilClosed", untilClosed);
        return api.open(api.plain("GET", target).header("Accept", RunningExec.OUTPUT).patience(api.patience().silence()));
    }
}
