// SPDX-License-Identifier: Apache-2.0
/// HTTP/1.1 and WebSocket over a socket channel, for one origin. See `docs/adr` for why it is not `java.net.http`.
@org.jspecify.annotations.NullMarked
package dev.redoma.client.http;
