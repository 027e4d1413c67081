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

    /// `passwd`: the image's own, if it has one.
    static TemplateConfig of(ImageConfig image, Optional<byte[]> passwd) {
        var users = passwd.map(p -> new String(p, StandardCharsets.ISO_8859_1).lines().map(l -> l.split(":")).toList()).orElse(List.of());
        return new TemplateConfig(checked(user(image.user(), users)), directory(image.workingDir()), env(image.env()),
                some(image.entrypoint()), some(image.cmd()), some(image.exposedPorts()), image.labels().isEmpty() ? null : Map.copyOf(image.labels()), image.stopSignal(), null);
    }

    /// Without a USER it is root, by number where nobody has that name. A bare number that nobody has goes with group 0, as in container engines.
    private static String user(@Nullable String user, List<String[]> users) {
        if (user == null) {
            return users.stream().anyMatch(u -> u[0].equals("root")) ? "root" : "0";
        }
        boolean number = user.matches("\\d{1,10}");
        return number && users.stream().noneMatch(u -> u.length > 2 && u[2].equals(user)) ? user + ":0" : user;
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
