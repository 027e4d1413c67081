// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.engine.image.ImageConfig;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.RedomaException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// What an image says about commands, as a template says it.
final class ImageSettings {
    private ImageSettings() {}

    /// `passwd`: the image's own, if it has one. Without a USER commands run as root, by number where nobody has that name.
    static TemplateConfig of(ImageConfig image, Optional<byte[]> passwd) {
        boolean root = passwd.filter(p -> new String(p, StandardCharsets.ISO_8859_1).lines().anyMatch(l -> l.startsWith("root:"))).isPresent();
        return new TemplateConfig(checked(image.user() == null ? root ? "root" : "0" : image.user()), directory(image.workingDir()), env(image.env()),
                some(image.entrypoint()), some(image.cmd()), some(image.exposedPorts()), image.labels().isEmpty() ? null : Map.copyOf(image.labels()), image.stopSignal(), null);
    }

    private static String checked(String user) {
        try {
            return Words.user(user);
        } catch (RedomaException e) {
            throw refused("its USER is no user: " + RequestRules.shown(user), e);
        }
    }

    private static @Nullable Map<String, String> env(Map<String, String> env) {
        try {
            env.forEach(ExecEnv::check);
        } catch (RedomaException e) {
            throw refused("its environment cannot be taken: " + e.problem().message(), e);
        }
        return env.isEmpty() ? null : Map.copyOf(env);
    }

    /// Absolute and without `..`; null where it is the root or none.
    static @Nullable String directory(@Nullable String path) {
        if (path == null) {
            return null;
        }
        var parts = new ArrayList<String>();
        for (var part : path.split("/")) {
            if (part.equals("..")) {
                if (!parts.isEmpty()) {
                    parts.removeLast();
                }
            } else if (!part.isEmpty() && !part.equals(".")) {
                parts.add(part);
            }
        }
        var whole = "/" + String.join("/", parts);
        try {
            Words.path("WORKDIR", whole);
        } catch (RedomaException e) {
            throw refused("its WORKDIR is no directory: " + RequestRules.shown(path), e);
        }
        return whole;
    }

    private static @Nullable List<String> some(List<String> list) {
        return list.isEmpty() ? null : List.copyOf(list);
    }

    private static RedomaException refused(String why, RedomaException cause) {
        return Problem.of(Code.ARCHIVE_REFUSED, "the image is refused: " + why, "Make the image anew without it.").raise(cause);
    }
}
