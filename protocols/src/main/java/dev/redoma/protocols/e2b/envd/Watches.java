// SPDX-License-Identifier: Apache-2.0
package dev.redoma.protocols.e2b.envd;

import dev.redoma.engine.Files;
import dev.redoma.http.Exchange;
import dev.redoma.http.connect.Frames;
import dev.redoma.http.connect.Message;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.RedomaException;
import dev.redoma.model.wire.FileEvent;
import dev.redoma.protocols.e2b.envd.Box.Asked;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/// Watches, as a stream or asked for now and then. One that nobody asks is closed after an hour. Thread-safe.
final class Watches implements AutoCloseable {
    private static final Duration STEP = Duration.ofSeconds(1);
    private static final Duration FORGOTTEN = Duration.ofHours(1);
    private static final Duration LOOK = Duration.ofSeconds(30);
    private static final SecureRandom RANDOM = new SecureRandom();
    /// What an event is called, and whether it tells of the file as it is now.
    private static final Map<String, String> TYPES = Map.of("create", "EVENT_TYPE_CREATE", "write", "EVENT_TYPE_WRITE", "remove", "EVENT_TYPE_REMOVE",
            "rename", "EVENT_TYPE_RENAME", "attrib", "EVENT_TYPE_CHMOD");

    private final Files files;
    private final Entries entries;
    private final Map<String, Polled> polled = new ConcurrentHashMap<>();

    Watches(Files files, Entries entries) {
        this.files = files;
        this.entries = entries;
    }

    private Files.Watch open(Asked asked, Message request) {
        var path = Filesystem.path(request);
        var root = files.stat(asked.caller(), asked.id(), path, asked.user(), true);
        if (!root.type().equals("directory")) {
            throw Problem.field("path", root.path() + " is not a directory", "a directory");
        }
        return files.watch(asked.caller(), asked.id(), path, asked.user(), request.set("recursive"));
    }

    boolean stream(Exchange http, Asked asked, Message request, Frames out) throws Exception {
        var told = new Telling(asked, Filesystem.path(request), request.set("includeEntry"));
        try (var watch = open(asked, request)) {
            out.send(Map.of("start", Map.of()));
            var quiet = new ProcessEvents.Quiet(http, out, true);
            while (true) {
                var event = watch.next(STEP);
                if (event == null) {
                    quiet.tick();
                } else if (event.kind().equals("root-removed")) {
                    return true;
                } else {
                    for (var one : told.events(event)) {
                        out.put(Map.of("filesystem", one));
                    }
                    out.flush();
                    quiet.broken();
                }
            }
        } catch (RedomaException ended) {
            boolean gone = ended.code() == Code.GUEST_UNREACHABLE || ended.code() == Code.SANDBOX_ENDED;
            throw gone ? Exchange.brokenOff(ended) : ended;
        }
    }

    Object create(Asked asked, Message request) {
        var bytes = new byte[16];
        RANDOM.nextBytes(bytes);
        var id = HexFormat.of().formatHex(bytes);
        var watcher = new Polled(asked, open(asked, request), new Telling(asked, Filesystem.path(request), request.set("includeEntry")));
        polled.put(id, watcher);
        Thread.ofVirtual().name("envd-watcher").start(() -> forgetWhenOld(id, watcher));
        return Map.of("watcherId", id);
    }

    Object events(Asked asked, String id) throws InterruptedException {
        return Map.of("events", find(asked, id).take());
    }

    Object remove(Asked asked, String id) {
        var watcher = find(asked, id);
        polled.remove(id);
        watcher.watch.close();
        return Map.of();
    }

    private Polled find(Asked asked, String id) {
        var watcher = polled.get(id);
        if (watcher == null || !watcher.asked.id().equals(asked.id())) {
            throw Problem.of(Code.FILE_NOT_FOUND, "watcher with id " + (id.length() > 64 ? "of that length" : id) + " not found", "Create one.").raise();
        }
        return watcher;
    }

    /// One that nobody asks any more does not keep its sandbox from being idle.
    private void forgetWhenOld(String id, Polled watcher) {
        try {
            for (long left = watcher.left(); left > 0 && polled.get(id) == watcher; left = watcher.left()) {
                TimeUnit.NANOSECONDS.sleep(Math.min(left, LOOK.toNanos()));
            }
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
        if (polled.remove(id, watcher)) {
            watcher.watch.close();
        }
    }

    @Override
    public void close() {
        polled.values().forEach(p -> p.watch.close());
        polled.clear();
    }

    /// A watch that is asked now and then. What waits is bounded by the watch itself, which says `overflow` where that was too little.
    private static final class Polled {
        private static final int AT_ONCE = 4096;

        private final Asked asked;
        private final Files.Watch watch;
        private final Telling telling;
        private volatile long askedAt = System.nanoTime();

        Polled(Asked asked, Files.Watch watch, Telling telling) {
            this.asked = asked;
            this.watch = watch;
            this.telling = telling;
        }

        long left() {
            return FORGOTTEN.toNanos() - (System.nanoTime() - askedAt);
        }

        synchronized List<Map<String, Object>> take() throws InterruptedException {
            askedAt = System.nanoTime();
            var all = new ArrayList<Map<String, Object>>();
            for (var event = watch.next(Duration.ZERO); event != null && all.size() < AT_ONCE; event = watch.next(Duration.ZERO)) {
                if (event.kind().equals("root-removed")) {
                    break;
                }
                all.addAll(telling.events(event));
            }
            return all;
        }
    }

    /// Events in the clients' words. A file that got another name is two of them.
    private final class Telling {
        private final Asked asked;
        private final String root;
        private final boolean withEntry;

        Telling(Asked asked, String root, boolean withEntry) {
            this.asked = asked;
            this.root = root;
            this.withEntry = withEntry;
        }

        List<Map<String, Object>> events(FileEvent event) {
            if (event.kind().equals("overflow")) {
                throw Problem.of(Code.QUOTA_EXCEEDED, "More happened than the watch could hold; some of it was not told.", "List the directory, and watch again.").raise();
            }
            if (event.kind().equals("rename") && event.from() != null) {
                return List.of(one("rename", event.from()), one("create", event.path()));
            }
            return List.of(one(event.kind(), event.path()));
        }

        private Map<String, Object> one(String kind, String path) {
            var told = new LinkedHashMap<String, Object>();
            told.put("name", path);
            told.put("type", TYPES.getOrDefault(kind, "EVENT_TYPE_UNSPECIFIED"));
            if (withEntry && (kind.equals("create") || kind.equals("write") || kind.equals("attrib"))) {
                try {
                    told.put("entry", entries.entry(asked, root + "/" + path));
                } catch (RedomaException goneAlready) {
                    // it was there when it happened, and is not now
                }
            }
            return told;
        }
    }
}
