// SPDX-License-Identifier: Apache-2.0
/// E2B's protocols over the engine: what the control plane (`control`) and the daemon in the sandbox (`envd`) share.
@org.jspecify.annotations.NullMarked
package dev.redoma.protocols.e2b;
