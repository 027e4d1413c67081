// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/// Names what goes into a step: the layers below and everything that its outcome depends on. Values of variables are in it only as this
/// digest. One that differs in nothing is taken from the step before.
final class StepKey {
    /// Changes when the meaning of a step does.
    private static final String FORM = "redoma-step-1";

    private StepKey() {}

    static String run(List<LayerRef> below, List<String> made, List<String> argv, BuildState state) {
        return of(List.of(FORM, "run", "none", below, made, argv, state.environment(), state.user(), state.workdir()));
    }

    static String copy(List<LayerRef> below, List<String> made, String user, CopyPlan plan) {
        return of(List.of(FORM, "copy", "none", below, made, user, plan.facts()));
    }

    static String directories(List<LayerRef> below, List<String> made, String user) {
        return of(List.of(FORM, "workdir", "none", below, made, user));
    }

    /// A saved disk never changes, so its name says what it is.
    static String saved(String snapshot) {
        return of(List.of(FORM, "saved", snapshot));
    }

    static String stack(List<LayerRef> layers) {
        return "sha256:" + of(List.of("redoma-stack-1", layers));
    }

    private static String of(List<Object> facts) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(Columns.json(facts).getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(hash);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
