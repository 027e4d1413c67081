// SPDX-License-Identifier: Apache-2.0
/// Records, hash chain, signing, verification, export.
@org.jspecify.annotations.NullMarked
package dev.redoma.ledger;
