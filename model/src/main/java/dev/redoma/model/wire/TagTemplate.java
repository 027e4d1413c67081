// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

/// Body of `PUT /v1/templates/{name}/tags/{tag}`: which version of that name the tag is to point at, by any reference.
public record TagTemplate(String version) {}
