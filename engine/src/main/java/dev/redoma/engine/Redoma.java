// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

/// The one facade that the native API and every protocol adapter call. All methods block; errors are RedomaException. A
/// sandbox of another tenant is SANDBOX_NOT_FOUND, exactly as a random id is.
public interface Redoma {

    Sandboxes sandboxes();

    Execs execs();

    Ports ports();

    Files files();

    Templates templates();

    Volumes volumes();

    Builds builds();

    Caches caches();

    Policies policies();

    Exposures exposures();

    Approvals approvals();

    Attachments attachments();

    Reviews reviews();

    Evidence evidence();

    /// Files of volumes, without a sandbox; where `Files` says sandbox, a volume is meant.
    Files volumeFiles();
}
