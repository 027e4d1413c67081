// SPDX-License-Identifier: Apache-2.0
/// Images of containers: references, registries, archives, and what an image says about itself. All of it hostile input.
@org.jspecify.annotations.NullMarked
package dev.redoma.engine.image;
