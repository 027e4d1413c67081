// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

/// Body of `POST /v1/volumes/{volume}/resize`.
public record ResizeVolume(long sizeBytes) {}
