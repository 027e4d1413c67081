// SPDX-License-Identifier: Apache-2.0
package dev.redoma.http.connect;

import dev.redoma.model.Code;
import java.util.Locale;

/// The error codes of the Connect protocol, with the status that a unary call answers.
public enum ConnectCode {
    CANCELED(499),
    UNKNOWN(500),
    INVALID_ARGUMENT(400),
    DEADLINE_EXCEEDED(504),
    NOT_FOUND(404),
    ALREADY_EXISTS(409),
    PERMISSION_DENIED(403),
    RESOURCE_EXHAUSTED(429),
    FAILED_PRECONDITION(400),
    ABORTED(409),
    UNIMPLEMENTED(501),
    INTERNAL(500),
    UNAVAILABLE(503),
    UNAUTHENTICATED(401);

    private final int status;

    ConnectCode(int status) {
        this.status = status;
    }

    public int status() {
        return status;
    }

    public String wire() {
        return name().toLowerCase(Locale.ROOT);
    }

    /// Where our errors lie among these.
    public static ConnectCode of(Code code) {
        return switch (code) {
            case BAD_REQUEST, INVALID_FIELD, NO_SUCH_DIRECTORY, FILE_REFUSED, ARCHIVE_REFUSED, RANGE_NOT_SATISFIABLE, UNSUPPORTED_MEDIA, NOT_ACCEPTABLE -> INVALID_ARGUMENT;
            case UNAUTHENTICATED, NO_SUCH_USER -> UNAUTHENTICATED;
            case FORBIDDEN, POLICY_REFUSED, APPROVAL_PENDING, APPROVAL_DENIED, ADDRESS_REFUSED, REGISTRY_DENIED -> PERMISSION_DENIED;
            case FILE_EXISTS, NAME_TAKEN -> ALREADY_EXISTS;
            case RATE_LIMITED, QUOTA_EXCEEDED, PAYLOAD_TOO_LARGE, DISK_FULL -> RESOURCE_EXHAUSTED;
            case ROUTE_NOT_FOUND, METHOD_NOT_ALLOWED, NOT_OFFERED, NOT_ENFORCEABLE -> UNIMPLEMENTED;
            case REQUEST_TIMEOUT -> DEADLINE_EXCEEDED;
            case WRONG_STATE, VOLUME_IN_USE, TEMPLATE_IN_USE -> FAILED_PRECONDITION;
            case SANDBOX_ENDED, GUEST_UNREACHABLE, NO_CAPACITY, STOPPING, RUNTIME_FAILED, RECORD_FAILED -> UNAVAILABLE;
            default -> code.status() == 404 ? NOT_FOUND : INTERNAL;
        };
    }
}
