// SPDX-License-Identifier: Apache-2.0
package dev.redoma.http;

import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.websocket.server.ServerWebSocketContainer;

/// The handshake of a WebSocket.
final class WebSocketUpgrade {
    private static final long MESSAGE_LIMIT = 1L << 20;

    private WebSocketUpgrade() {}

    static boolean of(Request request, Response response, Callback callback, WebSocket.Talk talk) {
        var container = request.getConnectionMetaData().getConnector().getServer().getBean(ServerWebSocketContainer.class);
        return container.upgrade((asked, answer, done) -> new JettyWebSocket(talk), request, response, callback);
    }

    static void configure(ServerWebSocketContainer container) {
        container.setMaxBinaryMessageSize(MESSAGE_LIMIT);
        container.setMaxTextMessageSize(64 * 1024);
        container.setMaxFrameSize(MESSAGE_LIMIT);
        container.setInputBufferSize(16 * 1024);
    }
}
