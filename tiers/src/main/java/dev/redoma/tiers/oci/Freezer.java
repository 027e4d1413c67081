// SPDX-License-Identifier: Apache-2.0
package dev.redoma.tiers.oci;

/// Stops and ends all processes of a group. Every wait ends after ten seconds with an error.
interface Freezer {

    /// Returns when the kernel says that all are frozen.
    void freeze();

    void thaw();

    boolean frozen();

    boolean populated();

    /// Ends all, frozen ones too; returns when none is left.
    void kill();
}
