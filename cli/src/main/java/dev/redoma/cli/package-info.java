// SPDX-License-Identifier: Apache-2.0
/// The command line, one class a verb.
@org.jspecify.annotations.NullMarked
package dev.redoma.cli;
