// SPDX-License-Identifier: Apache-2.0
/// Finds registered secrets, in the forms in which they are commonly written, and tokens of well-known shapes; masks them in streams and texts.
@org.jspecify.annotations.NullMarked
package dev.redoma.ledger.redact;
