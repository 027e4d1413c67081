// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine.image;

import dev.redoma.engine.image.Outgoing.Origin;
import dev.redoma.engine.image.Outgoing.Reply;
import dev.redoma.model.Code;
import dev.redoma.model.Layer;
import dev.redoma.model.Problem;
import dev.redoma.model.RegistryLogin;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// What opens a repository of a registry: nothing, name and password, or a token that another host gives for them. The password goes to
/// the registry, and to those that the operator names beside. Thread-safe.
final class Access {
    private static final int ANSWER = 1 << 18;

    private final Outgoing out;
    private final Origin registry;
    private final Registries.Named rules;
    private final String scope;
    private final @Nullable RegistryLogin login;
    private volatile @Nullable String header;
    private volatile boolean withheld;

    /// `login`: whoever pulls has one of their own; it goes where the operator's would.
    Access(Outgoing out, Origin registry, Registries.Named rules, String path, @Nullable RegistryLogin login) {
        this.login = login;
        this.out = out;
        this.registry = registry;
        this.rules = rules;
        this.scope = "repository:" + path + ":pull";
    }

    Optional<String> header() {
        return Optional.ofNullable(header);
    }

    /// After a refusal of what was `sent` (null: nothing): true if there is something new to try, perhaps because another asked meanwhile.
    synchronized boolean answer(List<String> challenges, @Nullable String sent) throws IOException {
        var before = header;
        if (before != null && !before.equals(sent)) {
            return true;
        }
        for (var challenge : Challenge.parse(challenges)) {
            if (challenge.scheme().equals("bearer") && challenge.parameters().containsKey("realm")) {
                header = "Bearer " + token(challenge);
                return !header.equals(before);
            }
            if (challenge.scheme().equals("basic") && hasLogin()) {
                header = basic();
                return !header.equals(before);
            }
        }
        return false;
    }

    private String token(Challenge challenge) throws IOException {
        var realm = Location.parse(challenge.parameters().getOrDefault("realm", ""));
        var query = "scope=" + encoded(scope) + (challenge.parameters().containsKey("service") ? "&service=" + encoded(challenge.parameters().get("service")) : "");
        boolean trusted = realm.origin().equals(registry) || rules.tokenHosts().contains(realm.origin().authority());
        boolean known = trusted && hasLogin();
        withheld = hasLogin() && !trusted;
        try (Reply reply = out.get(realm.origin(), realm.target() + (realm.target().indexOf('?') < 0 ? "?" : "&") + query,
                known ? Map.of("Accept", "application/json", "Authorization", basic()) : Map.of("Accept", "application/json"))) {
            if (reply.status() >= 500 || reply.status() == 429) {
                throw new IOException(realm.origin().authority() + " answers " + reply.status());
            }
            if (reply.status() != 200) {
                throw denied(reply.status(), realm.origin().authority());
            }
            var answer = Json.parse("the token's answer", bounded(reply));
            var token = answer.textOr("token", answer.textOr("access_token", ""));
            if (token.isEmpty() || !token.matches("[\\x21-\\x7e]+")) {
                throw Refusal.registry(realm.origin().authority() + " answers without a token.").raise();
            }
            return token;
        }
    }

    private static byte[] bounded(Reply reply) throws IOException {
        var body = reply.body().readNBytes(ANSWER + 1);
        if (body.length > ANSWER) {
            throw Refusal.registry("The token's answer is larger than " + ANSWER + " bytes.").raise();
        }
        return body;
    }

    dev.redoma.model.RedomaException denied(int status, String host) {
        var remedy = withheld
                ? "Its password is kept from " + host + "; name that under 'token-hosts' of the registry in redoma.yaml if it may have it."
                : !hasLogin() ? "Give a username and a password-file for " + rules.host() + " under 'registries' in redoma.yaml, or see whether the name is right."
                        : "See whether the username and the password for " + rules.host() + " are right and may pull this.";
        return Problem.of(Code.REGISTRY_DENIED, host + " refuses access to " + scope + " (" + status + ").", remedy).at(Layer.REGISTRY).with("registry", rules.host()).raise();
    }

    private static String encoded(@Nullable String text) {
        return URLEncoder.encode(String.valueOf(text), StandardCharsets.UTF_8);
    }

    private boolean hasLogin() {
        return login != null || rules.username() != null;
    }

    private String basic() {
        if (login != null) {
            return login.header();
        }
        var pair = rules.username() + ":" + password();
        return "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8));
    }

    /// Read anew each time, so that a new password needs no restart.
    private String password() {
        var file = rules.passwordFile();
        if (file == null) {
            return "";
        }
        try {
            var modes = Files.getPosixFilePermissions(file);
            if (modes.stream().anyMatch(Set.of(PosixFilePermission.OTHERS_READ, PosixFilePermission.OTHERS_WRITE, PosixFilePermission.GROUP_WRITE)::contains)) {
                throw Problem.of(Code.HOST_FAILED, "The password file " + file + " can be read or written by others.", "chmod 600 it.").raise();
            }
            return Files.readString(file).stripTrailing();
        } catch (IOException e) {
            throw Problem.of(Code.HOST_FAILED, "The password file " + file + " cannot be read.", "See whether it is there and the server may read it.").raise(e);
        }
    }
}
