// SPDX-License-Identifier: Apache-2.0
package dev.redoma.protocols.e2b.control;

import dev.redoma.http.Exchange;
import dev.redoma.http.Route;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.Scope;
import dev.redoma.model.TenantId;
import dev.redoma.protocols.e2b.SandboxTokens;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Where files of builds are uploaded: a URL that needs no key, holds for one hash of one tenant, and for an hour.
final class UploadCalls {
    private static final Duration HOLDS = Duration.ofHours(1);
    private static final String PATH = "/templates/{template}/files/{hash}";

    private final Endpoints on;
    private final Uploads uploads;
    private final SandboxTokens tokens;
    private final long largest;

    UploadCalls(Endpoints on, Uploads uploads, SandboxTokens tokens, long largest) {
        this.on = on;
        this.uploads = uploads;
        this.tokens = tokens;
        this.largest = largest;
    }

    public record Link(boolean present, @Nullable String url) {}

    List<Route> routes() {
        return List.of(on.get(PATH, Scope.OPERATE, this::link), new Route("PUT", PATH, this::take));
    }

    private void link(Asked c) throws IOException {
        var tenant = c.caller().tenant();
        var hash = c.parameter("hash");
        boolean present = uploads.present(tenant, hash);
        long until = Instant.now().plus(HOLDS).getEpochSecond();
        // Forced uploads come even where the files are there.
        var url = c.http().origin() + "/templates/" + c.parameter("template") + "/files/" + hash + "?tenant=" + tenant + "&expires=" + until + "&signature="
                + tokens.link(about(tenant.value(), hash, until));
        c.http().json(201, new Link(present, url));
    }

    private static String about(String tenant, String hash, long until) {
        return "upload/" + tenant + "/" + hash + "/" + until;
    }

    private void take(Exchange http) throws IOException {
        http.errors(ErrorBody.FORM);
        var query = http.query();
        var tenant = query.need("tenant");
        long until = query.number("expires", 0, 0, Long.MAX_VALUE);
        var hash = http.parameter("hash");
        if (!SandboxTokens.same(tokens.link(about(tenant, hash, until)), query.get("signature")) || Instant.now().getEpochSecond() > until) {
            throw Problem.of(Code.UNAUTHENTICATED, "This link does not hold, or no longer.", "Ask for the upload's link again.").raise();
        }
        try (var body = http.body(largest)) {
            uploads.take(new TenantId(tenant), hash, body);
        }
        http.nothing();
    }
}
