// SPDX-License-Identifier: Apache-2.0
/// Recipes and Dockerfiles as text: read, checked, expanded. Nothing here touches a sandbox or a disk.
@org.jspecify.annotations.NullMarked
package dev.redoma.engine.recipe;
