// SPDX-License-Identifier: Apache-2.0
/// Java client for users; JDK only.
@org.jspecify.annotations.NullMarked
package dev.redoma.client;
