// SPDX-License-Identifier: Apache-2.0
package dev.redoma.protocols.e2b.control;

import dev.redoma.engine.Sandboxes;
import dev.redoma.http.Route;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.RedomaException;
import dev.redoma.model.Scope;
import dev.redoma.model.wire.CreateSnapshot;
import dev.redoma.model.wire.ForkSandbox;
import dev.redoma.model.wire.Limits;
import dev.redoma.model.wire.Sandbox;
import dev.redoma.model.wire.Snapshot;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Saved disks, and sandboxes made of the disk of another. Neither has processes or memory in it: this tier cannot save them, and the answer says so.
final class SnapshotCalls {
    static final String NOTE = "X-Redoma-Note";
    static final String DISK_ONLY = "disk only: this tier saves neither processes nor memory";
    private static final int PAGE = 100;
    private static final int COPIES = 100;

    private final Endpoints on;
    private final Sandboxes sandboxes;
    private final Answers answers;

    SnapshotCalls(Endpoints on, Sandboxes sandboxes, Answers answers) {
        this.on = on;
        this.sandboxes = sandboxes;
        this.answers = answers;
    }

    public record Saved(String snapshotID, List<String> names) {}

    /// One of `sandbox` and `error` is there.
    public record Copy(Answers.@Nullable Made sandbox, @Nullable ErrorBody error) {}

    List<Route> routes() {
        return List.of(
                on.post("/sandboxes/{id}/snapshots", Scope.CREATE, this::save),
                on.get("/snapshots", Scope.READ, this::list),
                on.post("/sandboxes/{id}/fork", Scope.CREATE, this::fork));
    }

    private void save(Asked c) throws IOException {
        var asked = Requests.body(c.http(), Requests.NewSnapshot.class);
        var name = asked.name() == null ? null : Names.reference(c.caller(), asked.name());
        int colon = name == null ? -1 : name.indexOf(':');
        var tag = name == null ? null : colon < 0 ? Names.tag(Names.DEFAULT_TAG) : name.substring(colon + 1);
        var saved = sandboxes.snapshot(c.caller(), c.sandbox(), new CreateSnapshot(name == null || colon < 0 ? name : name.substring(0, colon), tag, null, null, null));
        c.http().set(NOTE, DISK_ONLY).json(201, saved(saved));
    }

    private static Saved saved(Snapshot s) {
        return new Saved(s.id(), s.name() == null ? List.of() : s.tags().stream().map(t -> s.name() + ":" + Names.theirs(t)).toList());
    }

    private void list(Asked c) throws IOException {
        var query = c.http().query();
        var sandbox = query.get("sandboxID");
        var name = query.get("name");
        var wanted = name == null ? null : Names.reference(c.caller(), name);
        int colon = wanted == null ? -1 : wanted.indexOf(':');
        var all = sandboxes.listSnapshots(c.caller(), new Sandboxes.SnapshotQuery(sandbox == null ? null : Names.sandbox(sandbox),
                        wanted == null || colon < 0 ? wanted : wanted.substring(0, colon), java.util.Map.of())).stream()
                .filter(s -> wanted == null || colon < 0 || s.tags().contains(wanted.substring(colon + 1)))
                .sorted(Comparator.comparing(Snapshot::createdAt).thenComparing(Snapshot::id).reversed()).toList();
        page(c, all, query.get("nextToken"), (int) query.number("limit", PAGE, 1, PAGE));
    }

    /// The token is the id of the last one shown.
    private static void page(Asked c, List<Snapshot> all, @Nullable String token, int limit) throws IOException {
        int from = 0;
        if (token != null && !token.isEmpty()) {
            from = all.stream().map(Snapshot::id).toList().indexOf(token) + 1;
            if (from == 0) {
                throw Problem.field("nextToken", "is of no page of this list", "the X-Next-Token of the page before");
            }
        }
        var shown = all.subList(from, Math.min(all.size(), from + limit));
        if (from + limit < all.size()) {
            c.http().set("X-Next-Token", shown.getLast().id());
        }
        c.http().json(200, shown.stream().map(SnapshotCalls::saved).toList());
    }

    private void fork(Asked c) throws IOException {
        var asked = Requests.body(c.http(), Requests.Fork.class);
        int count = asked.count() == null ? 1 : asked.count();
        if (count < 1 || count > COPIES) {
            throw Problem.field("count", "'" + count + "' cannot be taken", "1 to " + COPIES);
        }
        var source = sandboxes.get(c.caller(), c.sandbox());
        if (!source.state().equals("running")) {
            throw Problem.of(source.state().equals("ended") ? Code.SANDBOX_ENDED : Code.WRONG_STATE, "The sandbox " + source.id() + " is " + source.state() + ".", "Connect to it first.").raise();
        }
        var lifetime = asked.timeout() == null ? null : Orders.seconds("timeout", asked.timeout()).toMillis();
        var request = new ForkSandbox(null, null, new Limits(null, null, null, null, null, null, null, lifetime, null));
        var copies = new ArrayList<Copy>();
        for (int i = 0; i < count; i++) {
            copies.add(copy(c, source, request));
        }
        c.http().set(NOTE, DISK_ONLY).json(201, copies);
    }

    /// One that cannot be made does not take the others away.
    private Copy copy(Asked c, Sandbox source, ForkSandbox request) {
        try {
            return new Copy(answers.made(sandboxes.fork(c.caller(), source.id(), request, null)), null);
        } catch (RedomaException refused) {
            return new Copy(null, ErrorBody.of(refused.problem()));
        }
    }
}
