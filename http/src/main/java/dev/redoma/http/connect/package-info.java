// SPDX-License-Identifier: Apache-2.0
/// The Connect protocol (connectrpc.com) on [dev.redoma.http.Exchange]: unary calls and streams in JSON.
@org.jspecify.annotations.NullMarked
package dev.redoma.http.connect;
