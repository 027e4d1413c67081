// SPDX-License-Identifier: Apache-2.0
package dev.redoma.protocols.e2b.control;

import dev.redoma.engine.Redoma;
import dev.redoma.http.Route;
import dev.redoma.protocols.e2b.Door;
import dev.redoma.protocols.e2b.Office;
import dev.redoma.protocols.e2b.SandboxTokens;
import java.util.ArrayList;
import java.util.List;

/// The routes of E2B's control plane.
public final class ControlPlane {
    private ControlPlane() {}

    public static List<Route> routes(Redoma redoma, Door door, Office office, SandboxTokens tokens, Settings settings) {
        var on = new Endpoints(door);
        var answers = new Answers(tokens, settings.domain(), settings.publicPorts());
        var routes = new ArrayList<Route>();
        routes.addAll(new SandboxCalls(on, door, redoma.sandboxes(), answers, new Orders(settings, redoma.policies()), redoma.policies()).routes());
        routes.addAll(new SnapshotCalls(on, redoma.sandboxes(), answers).routes());
        routes.addAll(new ViewCalls(on, redoma.sandboxes(), redoma.execs(), redoma.policies()).routes());
        routes.addAll(new TemplateCalls(on, redoma.templates(), redoma.sandboxes()).routes(settings));
        var uploads = new Uploads(settings.uploads());
        routes.addAll(new BuildCalls(on, redoma.builds(), redoma.templates(), settings, uploads).routes());
        routes.addAll(new UploadCalls(on, uploads, tokens, settings.largestUpload()).routes());
        routes.addAll(new VolumeCalls(on, redoma.volumes(), tokens).routes());
        routes.addAll(new VolumeContent(redoma.volumes(), redoma.volumeFiles(), tokens, settings.largestUpload()).routes());
        routes.addAll(new NovitaCalls(on, redoma.sandboxes(), answers).routes());
        routes.addAll(new KeyCalls(on, office).routes());
        routes.addAll(new EventCalls(on, office).routes());
        routes.addAll(new OtherCalls(on).routes());
        return routes;
    }
}
