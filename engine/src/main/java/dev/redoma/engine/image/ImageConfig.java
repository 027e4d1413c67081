// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine.image;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What an image says about the processes in it. Empty text and lists are as good as none. `diffIds`: from the bottom up.
public record ImageConfig(
        @Nullable String user,
        @Nullable String workingDir,
        Map<String, String> env,
        List<String> entrypoint,
        List<String> cmd,
        List<String> exposedPorts,
        Map<String, String> labels,
        @Nullable String stopSignal,
        List<Digest> diffIds) {
    static final int LARGEST = 8 << 20;
    private static final int MANY = 1024;

    static ImageConfig parse(byte[] text) {
        var document = Json.parse("its configuration", text);
        var platform = new Platform(document.text("os"), document.text("architecture"), document.text("variant"));
        if (!Platform.host().takes(platform)) {
            throw Refusal.image("it is made for " + platform + ", and this host is " + Platform.host());
        }
        var rootfs = document.object("rootfs");
        if (rootfs == null) {
            throw Refusal.image("its configuration names no layers");
        }
        var diffIds = rootfs.texts("diff_ids", Manifests.MOST_LAYERS).stream().map(Digest::new).toList();
        var config = document.object("config");
        if (config == null) {
            return new ImageConfig(null, null, Map.of(), List.of(), List.of(), List.of(), Map.of(), null, diffIds);
        }
        return new ImageConfig(some(config.text("User")), some(config.text("WorkingDir")), env(config.texts("Env", MANY)), config.texts("Entrypoint", MANY),
                config.texts("Cmd", MANY), config.keys("ExposedPorts", MANY).stream().sorted().toList(), config.map("Labels", MANY), some(config.text("StopSignal")), diffIds);
    }

    private static @Nullable String some(@Nullable String text) {
        return text == null || text.isBlank() ? null : text;
    }

    private static Map<String, String> env(List<String> words) {
        var env = new LinkedHashMap<String, String>();
        for (var word : words) {
            int equals = word.indexOf('=');
            if (equals <= 0 || word.indexOf('\0') >= 0) {
                throw Refusal.image("its environment has '" + Refusal.shown(word) + "', which is no NAME=VALUE");
            }
            env.put(word.substring(0, equals), word.substring(equals + 1));
        }
        return env;
    }
}
