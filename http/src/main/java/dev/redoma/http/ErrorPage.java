// SPDX-License-Identifier: Apache-2.0
package dev.redoma.http;

import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import java.nio.ByteBuffer;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;

/// What is answered where no route was reached: broken HTTP, oversized headers. Never HTML.
final class ErrorPage implements Request.Handler {

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
        int status = response.getStatus();
        var why = request.getAttribute(ErrorHandler.ERROR_MESSAGE);
        var problem = Problem.of(code(status), "The request cannot be taken" + (why == null ? "." : ": " + why), "Send well-formed HTTP within the limits.");
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, Problems.MEDIA_TYPE);
        response.write(true, ByteBuffer.wrap(Json.bytes(Problems.wire(problem))), callback);
        return true;
    }

    private static Code code(int status) {
        return switch (status) {
            case 404 -> Code.ROUTE_NOT_FOUND;
            case 405 -> Code.METHOD_NOT_ALLOWED;
            case 408 -> Code.REQUEST_TIMEOUT;
            case 413 -> Code.PAYLOAD_TOO_LARGE;
            case 415 -> Code.UNSUPPORTED_MEDIA;
            case 503 -> Code.STOPPING;
            default -> status < 500 ? Code.BAD_REQUEST : Code.INTERNAL;
        };
    }
}
