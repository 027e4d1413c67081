// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

/// One operation's connection. Filled in by the guest-link code.
interface GuestOp extends AutoCloseable {
    @Override
    void close();
}
