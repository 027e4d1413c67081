// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.redoma.engine.image.ImageReference;
import dev.redoma.engine.image.PullControl;
import dev.redoma.engine.image.Registries;
import dev.redoma.engine.image.RegistryClient;
import dev.redoma.gateway.CheckedDialler;
import dev.redoma.gateway.CheckedOutgoing;
import dev.redoma.model.Code;
import dev.redoma.model.RedomaException;
import dev.redoma.model.RegistryLogin;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Whose names and passwords go where, and which addresses are dialled at all.
class RegistryAccessTest extends ImageCase {
    @TempDir
    Path tmp;

    @Test
    void nameAndPasswordOpenALockedRegistry() throws IOException {
        try (var registry = RegistryServer.locked(tmp)) {
            registry.push("locked", "v1", sample("locked"));
            var right = RegistryServer.passwordFile(tmp, RegistryServer.PASSWORD);
            pull(registries(registry.host(), "tester", right), registry.host() + "/locked:v1", (found, control) -> unpack(found, control));
            refused(registries(registry.host()), registry.host() + "/locked:v1", Code.REGISTRY_DENIED, "401");
            refused(registries(registry.host(), "tester", RegistryServer.passwordFile(tmp, "wrong")), registry.host() + "/locked:v1", Code.REGISTRY_DENIED, "401");
            pulledAs(registry, new RegistryLogin("tester", RegistryServer.PASSWORD), registries(registry.host()));
            pulledAs(registry, new RegistryLogin("tester", RegistryServer.PASSWORD), registries(registry.host(), "tester", RegistryServer.passwordFile(tmp, "also wrong")));
            assertThatThrownBy(() -> pulledAs(registry, new RegistryLogin("tester", "wrong"), registries(registry.host(), "tester", right)))
                    .isInstanceOfSatisfying(RedomaException.class, refused -> assertThat(refused.code()).isEqualTo(Code.REGISTRY_DENIED));
            Files.setPosixFilePermissions(right, java.nio.file.attribute.PosixFilePermissions.fromString("rw-r--r--"));
            refused(registries(registry.host(), "tester", right), registry.host() + "/locked:v1", Code.HOST_FAILED, "read or written by others");
        }
    }

    /// By a login of whoever pulls, which takes the place of the operator's.
    private static void pulledAs(RegistryServer registry, RegistryLogin login, Registries registries) {
        try (var out = new CheckedOutgoing(new CheckedDialler(), registries)) {
            assertThat(RegistryClient.of(out, registries, ImageReference.parse(registry.host() + "/locked:v1"), new PullControl(p -> {}), login).image()).isNotNull();
        }
    }

    @Test
    void aTokenIsFetchedAndThePasswordGoesOnlyWhereItMay() throws IOException {
        var image = sample("token");
        var password = RegistryServer.passwordFile(tmp, "pw");
        try (var registry = new FakeRegistry(); var issuer = new FakeRegistry()) {
            registry.serve("r", "v1", image);
            var realm = new String[] {issuer.host()};
            var asked = new ArrayList<String>();
            registry.on("/v2/r/manifests/v1", e -> {
                if ("Bearer good".equals(e.getRequestHeaders().getFirst("Authorization"))) {
                    FakeRegistry.body(e, 200, MANIFEST, image.manifest());
                } else {
                    e.getResponseHeaders().set("WWW-Authenticate", "Bearer realm=\"http://" + realm[0] + "/token\",service=\"the, service\",scope=\"repository:r:pull,push\"");
                    FakeRegistry.status(e, 401);
                }
            });
            issuer.on("/token", e -> {
                asked.add(e.getRequestURI().getRawQuery());
                FakeRegistry.body(e, 200, "application/json", "{\"token\":\"good\",\"expires_in\":300}".getBytes());
            });
            var both = List.of(new Registries.Named(registry.host(), true, true, null, "me", password, List.of(issuer.host()), null),
                    new Registries.Named(issuer.host(), true, true, null, null, null, List.of(), null));
            pull(new Registries(null, both), registry.host() + "/r:v1", (found, control) -> unpack(found, control));
            assertThat(issuer.asked).containsExactly("/token Basic bWU6cHc=");
            assertThat(asked).containsExactly("scope=repository%3Ar%3Apull&service=the%2C+service");
            assertThat(registry.asked).noneMatch(a -> a.contains("Basic"));
            issuer.asked.clear();
            var apart = List.of(new Registries.Named(registry.host(), true, true, null, "me", password, List.of(), null), both.getLast());
            pull(new Registries(null, apart), registry.host() + "/r:v1", (found, control) -> {});
            assertThat(issuer.asked).containsExactly("/token -");
        }
    }

    @Test
    void aRedirectIsFollowedWithoutCredentialsAndOnlyWhereDiallingIsAllowed() throws IOException {
        var image = sample("redirected");
        var layer = image.layers().getFirst();
        var blob = "/v2/r/blobs/" + TestImage.digest(layer.stored());
        var password = RegistryServer.passwordFile(tmp, "pw");
        try (var registry = new FakeRegistry(); var elsewhere = new FakeRegistry()) {
            registry.serve("r", "v1", image).on("/v2/r/manifests/v1", e -> {
                if (e.getRequestHeaders().getFirst("Authorization") == null) {
                    e.getResponseHeaders().set("WWW-Authenticate", "Basic realm=\"x\"");
                    FakeRegistry.status(e, 401);
                } else {
                    FakeRegistry.body(e, 200, MANIFEST, image.manifest());
                }
            });
            registry.on(blob, e -> FakeRegistry.redirect(e, "http://" + elsewhere.host() + "/signed?x=1"));
            elsewhere.on("/signed", e -> FakeRegistry.body(e, 200, "application/octet-stream", layer.stored()));
            var named = new Registries.Named(registry.host(), true, true, null, "me", password, List.of(), null);
            var other = new Registries.Named(elsewhere.host(), true, true, null, null, null, List.of(), null);
            pull(new Registries(null, List.of(named, other)), registry.host() + "/r:v1", (found, control) -> unpack(found, control));
            assertThat(elsewhere.asked).containsExactly("/signed -");
            var anew = sample("redirected again");
            registry.serve("r", "v2", anew).on("/v2/r/blobs/" + TestImage.digest(anew.layers().getFirst().stored()), e -> FakeRegistry.redirect(e, "http://" + elsewhere.host() + "/signed"));
            refusedUnpacking(new Registries(null, List.of(named)), registry.host() + "/r:v2", Code.ADDRESS_REFUSED, "without TLS");
            registry.on("/v2/r/blobs/" + TestImage.digest(anew.layers().getFirst().stored()), e -> FakeRegistry.redirect(e, "https://" + elsewhere.host() + "/signed"));
            refusedUnpacking(new Registries(null, List.of(named)), registry.host() + "/r:v2", Code.ADDRESS_REFUSED, "loopback");
            registry.on("/v2/r/blobs/" + TestImage.digest(anew.layers().getFirst().stored()), e -> FakeRegistry.redirect(e, "file:///etc/passwd"));
            refusedUnpacking(new Registries(null, List.of(named)), registry.host() + "/r:v2", Code.REGISTRY_FAILED, "no address");
            registry.on("/v2/r/blobs/" + TestImage.digest(anew.layers().getFirst().stored()), e -> FakeRegistry.redirect(e, "/v2/r/blobs/" + TestImage.digest(anew.layers().getFirst().stored())));
            refusedUnpacking(new Registries(null, List.of(named)), registry.host() + "/r:v2", Code.REGISTRY_FAILED, "redirects more than");
        }
    }

    @Test
    void aRegistryNotNamedByTheOperatorIsNotDialledWhereItIsNotPublic() {
        try (var registry = new FakeRegistry()) {
            refused(Registries.NONE, registry.host() + "/r:v1", Code.ADDRESS_REFUSED, "loopback");
            refused(Registries.NONE, "localhost:" + registry.port() + "/r:v1", Code.ADDRESS_REFUSED, "loopback");
            refused(Registries.NONE, "[::ffff:127.0.0.1]:" + registry.port() + "/r:v1", Code.ADDRESS_REFUSED, "loopback");
            refused(new Registries(null, List.of(new Registries.Named(registry.host(), true, false, null, null, null, List.of(), null))), registry.host() + "/r:v1",
                    Code.ADDRESS_REFUSED, "allow-private");
            assertThat(registry.asked).isEmpty();
        }
        refused(Registries.NONE, "debian:12", Code.INVALID_FIELD, "default-registry");
    }
}
