// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server.api;

import dev.redoma.engine.Redoma;
import dev.redoma.http.Route;
import dev.redoma.http.Router;
import dev.redoma.ledger.Ledger;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.server.keys.Keys;
import dev.redoma.server.keys.Rates;
import java.util.ArrayList;
import java.util.List;

/// Puts the operations of `/v1` together.
public final class NativeApi {
    private NativeApi() {}

    /// `largest`: most bytes of an upload; `previews`: where exposed ports are reached.
    public static Api of(Redoma redoma, Ledger ledger, Keys keys, Rates rates, ServerRoutes.About about, long largest, PreviewAddresses previews) {
        var all = new ArrayList<Operation>();
        all.addAll(new ServerRoutes(about).operations(() -> OpenApi.of(all, about.info().get().version())));
        all.addAll(new SandboxRoutes(redoma.sandboxes()).operations());
        all.addAll(new ReviewRoutes(redoma.reviews()).operations());
        all.addAll(new SnapshotRoutes(redoma.sandboxes()).operations());
        all.addAll(new ExecRoutes(redoma.execs(), redoma.attachments(), largest).operations());
        all.addAll(new AttachRoutes(redoma.attachments()).operations());
        all.addAll(FileRoutes.ofSandboxes(redoma.files(), largest).operations());
        all.addAll(new VolumeRoutes(redoma.volumes()).operations());
        all.addAll(new PolicyRoutes(redoma.policies()).operations());
        all.addAll(new ExposureRoutes(redoma.exposures(), previews).operations());
        all.addAll(new ApprovalRoutes(redoma.approvals()).operations());
        all.addAll(new CacheRoutes(redoma.caches()).operations());
        all.addAll(FileRoutes.ofVolumes(redoma.volumeFiles(), largest).operations());
        all.addAll(new TemplateRoutes(redoma.templates(), largest).operations());
        all.addAll(new BuildRoutes(redoma.builds(), largest).operations());
        all.addAll(new AuditRoutes(ledger, redoma.sandboxes(), redoma.evidence()).operations());
        all.addAll(new KeyRoutes(keys).operations());
        all.addAll(new UserRoutes(keys.users()).operations());
        return new Api(all, keys, rates);
    }

    /// What is served before all is there: 503, and nothing else.
    public static Router starting() {
        return new Router(List.of(new Route("GET", "/health", x -> {
            throw Problem.of(Code.STOPPING, "The server is starting.", "Try again in a moment.").with("retryAfterSeconds", 1).raise();
        })), "The server is starting.");
    }
}
