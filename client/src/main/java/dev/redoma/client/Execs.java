// SPDX-License-Identifier: Apache-2.0
package dev.redoma.client;

import dev.redoma.model.wire.Exec;
import dev.redoma.model.wire.Page;
import java.io.IOException;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Commands of one sandbox. Thread-safe.
public final class Execs {
    private final Api api;
    private final String sandbox;

    Execs(Api api, String sandbox) {
        this.api = api;
        this.sandbox = sandbox;
    }

    /// Runs a command and hands its output on until its exit; one request, and one more for each time the connection broke.
    public Exec run(Command command, OutputSink sink) {
        var reader = new OutputReader(sink, 0);
        var request = api.request("POST", at(), command.spec()).header("Accept", RunningExec.OUTPUT).patience(api.patience().silence());
        try (var answer = api.open(request)) {
            reader.drain(answer.body());
        } catch (IOException broken) {
            if (reader.latest() == null) {
                throw api.lost(broken);
            }
        } catch (RedomaApiException refused) {
            if (reader.latest() == null || !refused.problem().retryable()) {
                throw refused;
            }
        }
        var latest = reader.latest();
        if (latest == null) {
            throw api.lost(new IOException("the stream ended before the command was started"));
        }
        return reader.ended() ? latest : new Follower(api, get(latest.id()), reader, false).follow();
    }

    /// Runs a command and keeps what it printed, at most `most` bytes of each stream.
    public Finished capture(Command command, int most) {
        var capture = new Capture(most);
        var exec = run(command, capture);
        return new Finished(exec, capture.stdout(), capture.stderr());
    }

    /// Starts a command and returns at once.
    public RunningExec start(Command command) {
        return get(api.post(at(), command.spec(), Exec.class).id());
    }

    public RunningExec get(String exec) {
        return new RunningExec(api, sandbox, exec);
    }

    /// All of them, oldest page first, fetched as they are asked for.
    public Iterable<Exec> list() {
        return () -> new PageIterator<>(cursor -> page(cursor, 200));
    }

    public Page<Exec> page(@Nullable String cursor, int limit) {
        return api.getList(at().with("cursor", cursor).with("limit", limit), Page.class, Exec.class);
    }

    /// Those that have not ended.
    public List<Exec> running() {
        Page<Exec> page = api.getList(at().with("running", true), Page.class, Exec.class);
        return page.items();
    }

    private Target at() {
        return Target.of("/v1/sandboxes/", sandbox, "/execs");
    }

    /// Iterates over all pages.
    static final class PageIterator<T> implements Iterator<T> {
        private final java.util.function.Function<@Nullable String, Page<T>> fetch;
        private Iterator<T> items = List.<T>of().iterator();
        private @Nullable String next;
        private boolean last;

        PageIterator(java.util.function.Function<@Nullable String, Page<T>> fetch) {
            this.fetch = fetch;
        }

        @Override
        public boolean hasNext() {
            while (!items.hasNext() && !last) {
                var page = fetch.apply(next);
                items = page.items().iterator();
                next = page.next();
                last = next == null;
            }
            return items.hasNext();
        }

        @Override
        public T next() {
            if (!hasNext()) {
                throw new java.util.NoSuchElementException();
            }
            return items.next();
        }
    }
}
