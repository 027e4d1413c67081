// SPDX-License-Identifier: Apache-2.0
/// Exchange, router, streaming and WebSocket over Jetty.
@org.jspecify.annotations.NullMarked
package dev.redoma.http;
