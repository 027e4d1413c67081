// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine.image;

import dev.redoma.engine.image.Outgoing.Origin;
import dev.redoma.engine.image.Outgoing.Reply;
import dev.redoma.model.Code;
import dev.redoma.model.Layer;
import dev.redoma.model.Problem;
import dev.redoma.model.RegistryLogin;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Reads one repository of a registry by the OCI distribution protocol. What fails in passing is tried again, redirects are followed
/// without credentials for another host, and every byte is checked against its digest. Documents are for one thread, layers for any.
public final class RegistryClient implements Documents {
    private static final String MANIFESTS = "application/vnd.oci.image.index.v1+json, application/vnd.oci.image.manifest.v1+json, "
            + "application/vnd.docker.distribution.manifest.list.v2+json, application/vnd.docker.distribution.manifest.v2+json";
    private static final int TRIES = 4;
    private static final int REDIRECTS = 5;
    private static final Duration PAUSE = Duration.ofMillis(200);
    private static final long LONGEST_PAUSE = 20_000;

    private final Outgoing out;
    private final ImageReference reference;
    private final PullControl control;
    private final Location repository;
    private final Access access;

    private RegistryClient(Outgoing out, ImageReference reference, PullControl control, Location repository, Access access) {
        this.out = out;
        this.reference = reference;
        this.control = control;
        this.repository = repository;
        this.access = access;
    }

    public static RegistryClient of(Outgoing out, Registries registries, ImageReference reference, PullControl control) {
        return of(out, registries, reference, control, null);
    }

    /// `login`: in place of what the operator says of this registry.
    public static RegistryClient of(Outgoing out, Registries registries, ImageReference reference, PullControl control, @Nullable RegistryLogin login) {
        var host = registries.hostOf(reference);
        var rules = registries.of(host);
        var path = reference.path().indexOf('/') < 0 && rules.library() != null ? rules.library() + "/" + reference.path() : reference.path();
        control.breakOff(out::close);
        var base = Location.parse((rules.plainHttp() ? "http://" : "https://") + host + "/v2/" + path + "/");
        return new RegistryClient(out, reference, control, base, new Access(out, base.origin(), rules, path, login));
    }

    /// The registry, as it is asked.
    public String registry() {
        return repository.origin().authority();
    }

    /// The image for this host.
    public SourceImage image() {
        control.tell("manifest of " + reference, 0, 0);
        try (Reply reply = asked("manifests/" + reference.wanted(), Map.of("Accept", MANIFESTS))) {
            var body = all(reply, Manifests.LARGEST);
            var digest = Digest.of(body);
            var said = reply.header("Docker-Content-Digest").filter(Digest::is).orElse(digest.value());
            if (!said.equals(digest.value()) || reference.digest() != null && !reference.digest().equals(digest)) {
                throw Refusal.image("what is given as " + (reference.digest() != null ? reference.digest() : said) + " has the digest " + digest);
            }
            return new Choice(this).from(body, reply.header("Content-Type").map(t -> t.split(";")[0].strip()).orElse(""));
        }
    }

    @Override
    public byte[] manifest(Descriptor wanted) {
        return document("manifests/" + wanted.digest(), wanted, Map.of("Accept", MANIFESTS));
    }

    @Override
    public byte[] document(Descriptor wanted) {
        return document("blobs/" + wanted.digest(), wanted, Map.of());
    }

    private byte[] document(String name, Descriptor wanted, Map<String, String> headers) {
        try (Reply reply = asked(name, headers)) {
            return Documents.checked(wanted, all(reply, (int) wanted.size()));
        }
    }

    private byte[] all(Reply reply, int most) {
        try {
            var body = reply.body().readNBytes(most + 1);
            if (body.length > most) {
                throw Refusal.image("a document of its is larger than the " + most + " bytes that are taken or said of it");
            }
            return body;
        } catch (IOException e) {
            control.check();
            throw failed(e);
        }
    }

    @Override
    public InputStream layer(Descriptor wanted) {
        return new CheckedStream(new LayerDownload(this, control, wanted), wanted);
    }

    @Override
    public SourceImage.Content content(Descriptor wanted) {
        return new SourceImage.Content() {
            @Override
            public InputStream open() {
                return layer(wanted);
            }

            @Override
            public boolean remote() {
                return true;
            }
        };
    }

    /// From that byte on; the answer's status is 200 (from the beginning) or 206.
    Reply layer(Descriptor wanted, long from) {
        return asked("blobs/" + wanted.digest(), from == 0 ? Map.of() : Map.of("Range", "bytes=" + from + "-"));
    }

    private Reply asked(String name, Map<String, String> headers) {
        var target = Location.parse(repository, repository.target() + name);
        for (int n = 1; ; n++) {
            control.check();
            @Nullable Reply reply = null;
            try {
                reply = followed(target, headers);
                if (reply.status() == 200 || reply.status() == 206) {
                    return reply;
                }
                again(reply, n);
            } catch (IOException e) {
                control.check();
                if (n >= TRIES) {
                    throw failed(e);
                }
                control.pause(PAUSE.multipliedBy(1L << n));
            } catch (RuntimeException e) {
                if (reply != null) {
                    reply.close();
                }
                throw e;
            }
        }
    }

    /// Waits where it may be another answer next time.
    private void again(Reply reply, int n) {
        int status = reply.status();
        var wait = reply.header("Retry-After").filter(v -> v.matches("\\d{1,4}")).map(v -> Duration.ofSeconds(Long.parseLong(v))).orElse(PAUSE.multipliedBy(1L << n));
        reply.close();
        if (status == 404) {
            throw Problem.of(Code.IMAGE_NOT_FOUND, registry() + " has no " + reference + ".", "See whether name and tag are right.").at(Layer.REGISTRY).raise();
        }
        if (status == 401 || status == 403) {
            throw access.denied(status, registry());
        }
        if (status != 429 && status < 500 || n >= TRIES || wait.toMillis() > LONGEST_PAUSE) {
            throw Refusal.registry(registry() + " answers " + status + " when asked for " + reference + ".").with("status", status).raise();
        }
        control.pause(wait);
    }

    /// Through redirects, and once more with what the registry wants to see.
    private Reply followed(Location first, Map<String, String> headers) throws IOException {
        var at = first;
        boolean answered = false;
        for (int redirects = 0; redirects <= REDIRECTS; ) {
            var sent = with(headers, at.origin());
            var reply = out.get(at.origin(), at.target(), sent);
            if (reply.status() == 401 && !answered && at.origin().equals(repository.origin())) {
                answered = true;
                var challenges = reply.headers("WWW-Authenticate");
                reply.close();
                if (access.answer(challenges, sent.get("Authorization"))) {
                    continue;
                }
                throw access.denied(401, registry());
            }
            if (!isRedirect(reply.status())) {
                return reply;
            }
            var to = reply.header("Location").orElse("");
            reply.close();
            at = downhill(at, Location.parse(at, to));
            redirects++;
        }
        throw Refusal.registry(registry() + " redirects more than " + REDIRECTS + " times.").raise();
    }

    private static boolean isRedirect(int status) {
        return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
    }

    private Location downhill(Location from, Location to) {
        if (from.origin().tls() && !to.origin().tls()) {
            throw Refusal.registry(registry() + " redirects from https to http.").raise();
        }
        return to;
    }

    private Map<String, String> with(Map<String, String> headers, Origin origin) {
        var all = new HashMap<>(headers);
        if (origin.equals(repository.origin())) {
            access.header().ifPresent(h -> all.put("Authorization", h));
        }
        return all;
    }

    dev.redoma.model.RedomaException failed(IOException e) {
        return Refusal.registry("The registry " + registry() + " could not be read: " + Refusal.shown(Objects.requireNonNullElse(e.getMessage(), e.getClass().getSimpleName())) + ".").raise(e);
    }
}
