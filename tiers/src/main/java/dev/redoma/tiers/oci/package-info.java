// SPDX-License-Identifier: Apache-2.0
/// The `container` tier: instances by an OCI runtime (crun, else runc) behind our launcher.
@org.jspecify.annotations.NullMarked
package dev.redoma.tiers.oci;
