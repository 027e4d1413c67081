// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

/// The version of this build.
final class Version {
    static final String TEXT = "0.1.0";

    private Version() {}
}
