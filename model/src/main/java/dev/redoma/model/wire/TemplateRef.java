// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

/// The exact template version a sandbox came from. `digest` is `sha256:` + 64 hex.
public record TemplateRef(String name, String digest) {}
