// SPDX-License-Identifier: Apache-2.0
/// E2B's daemon of a sandbox, spoken by this server: no process inside. Processes, files, watches, and bytes of files over plain HTTP.
@org.jspecify.annotations.NullMarked
package dev.redoma.protocols.e2b.envd;
