// SPDX-License-Identifier: Apache-2.0
package dev.redoma.http;

import org.eclipse.jetty.http2.ErrorCode;
import org.eclipse.jetty.http2.HTTP2Connection;
import org.eclipse.jetty.http2.frames.ResetFrame;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.Callback;

/// The stream of an answer that breaks off. Of HTTP/2 it is reset as one that failed: clients take the code that Jetty would send, that of a
/// stream which nobody wants any more, for an ordinary end. Of HTTP/1.1 the connection is closed, which is Jetty's own way.
final class BrokenStream {
    private BrokenStream() {}

    static void reset(Request request) {
        if (request.getConnectionMetaData().getConnection() instanceof HTTP2Connection connection && request.getId().matches("[0-9]{1,9}")) {
            var stream = connection.getSession().getStream(Integer.parseInt(request.getId()));
            if (stream != null) {
                stream.reset(new ResetFrame(stream.getId(), ErrorCode.INTERNAL_ERROR.code), Callback.NOOP);
            }
        }
    }
}
