// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model;

/// Every error this product answers with: stable code, HTTP status, whether the same call may succeed later, and the layer
/// it comes from unless said otherwise. `docs/errors.md` lists each with its test.
public enum Code {
    BAD_REQUEST(400, false, Layer.REQUEST),
    INVALID_FIELD(400, false, Layer.REQUEST),
    UNAUTHENTICATED(401, false, Layer.REQUEST),
    FORBIDDEN(403, false, Layer.POLICY),
    SANDBOX_NOT_FOUND(404, false, Layer.REQUEST),
    EXEC_NOT_FOUND(404, false, Layer.REQUEST),
    TEMPLATE_NOT_FOUND(404, false, Layer.TEMPLATE),
    SNAPSHOT_NOT_FOUND(404, false, Layer.REQUEST),
    VOLUME_NOT_FOUND(404, false, Layer.REQUEST),
    BUILD_NOT_FOUND(404, false, Layer.REQUEST),
    KEY_NOT_FOUND(404, false, Layer.REQUEST),
    USER_NOT_FOUND(404, false, Layer.REQUEST),
    EXPOSURE_NOT_FOUND(404, false, Layer.REQUEST),
    APPROVAL_NOT_FOUND(404, false, Layer.REQUEST),
    ATTACH_GRANT_NOT_FOUND(404, false, Layer.REQUEST),
    APPLY_NOT_FOUND(404, false, Layer.REQUEST),
    FILE_NOT_FOUND(404, false, Layer.COMMAND),
    IMAGE_NOT_FOUND(404, false, Layer.REGISTRY),
    ROUTE_NOT_FOUND(404, false, Layer.REQUEST),
    METHOD_NOT_ALLOWED(405, false, Layer.REQUEST),
    NOT_ACCEPTABLE(406, false, Layer.REQUEST),
    REQUEST_TIMEOUT(408, true, Layer.REQUEST),
    WRONG_STATE(409, false, Layer.REQUEST),
    NAME_TAKEN(409, false, Layer.REQUEST),
    IDEMPOTENCY_CONFLICT(409, false, Layer.REQUEST),
    CHANGES_MOVED(409, false, Layer.REQUEST),
    FILE_EXISTS(409, false, Layer.COMMAND),
    VOLUME_IN_USE(409, false, Layer.REQUEST),
    TEMPLATE_IN_USE(409, false, Layer.TEMPLATE),
    TEMPLATE_NOT_READY(409, true, Layer.TEMPLATE),
    SANDBOX_ENDED(410, false, Layer.REQUEST),
    PAYLOAD_TOO_LARGE(413, false, Layer.REQUEST),
    UNSUPPORTED_MEDIA(415, false, Layer.REQUEST),
    RANGE_NOT_SATISFIABLE(416, false, Layer.REQUEST),
    FILE_REFUSED(422, false, Layer.COMMAND),
    ARCHIVE_REFUSED(422, false, Layer.REQUEST),
    NO_SUCH_USER(422, false, Layer.COMMAND),
    NO_SUCH_DIRECTORY(422, false, Layer.COMMAND),
    SETUP_FAILED(422, false, Layer.TEMPLATE),
    RECIPE_REFUSED(422, false, Layer.TEMPLATE),
    STEP_FAILED(422, false, Layer.COMMAND),
    START_FAILED(422, false, Layer.TEMPLATE),
    CONTENTS_REFUSED(422, false, Layer.POLICY),
    SCRUB_FAILED(422, false, Layer.TEMPLATE),
    POLICY_INVALID(422, false, Layer.POLICY),
    RATE_LIMITED(429, true, Layer.POLICY),
    QUOTA_EXCEEDED(429, true, Layer.POLICY),
    POLICY_REFUSED(403, false, Layer.POLICY),
    APPROVAL_PENDING(403, true, Layer.POLICY),
    APPROVAL_DENIED(403, false, Layer.POLICY),
    ADDRESS_REFUSED(403, false, Layer.NETWORK),
    PORT_NOT_EXPOSED(403, false, Layer.POLICY),
    EXPOSURE_EXPIRED(403, false, Layer.POLICY),
    WRONG_AUDIENCE(403, false, Layer.POLICY),
    REGISTRY_DENIED(403, false, Layer.REGISTRY),
    REGISTRY_FAILED(502, true, Layer.REGISTRY),
    NOT_ENFORCEABLE(501, false, Layer.HOST),
    NOT_OFFERED(501, false, Layer.SERVER),
    GUEST_UNREACHABLE(502, true, Layer.GUEST),
    GUEST_PROTOCOL(502, false, Layer.GUEST),
    NOTHING_LISTENS(502, true, Layer.COMMAND),
    BAD_ANSWER(502, true, Layer.COMMAND),
    RUNTIME_FAILED(502, true, Layer.RUNTIME),
    NO_CAPACITY(503, true, Layer.HOST),
    STOPPING(503, true, Layer.SERVER),
    BUILD_INTERRUPTED(503, true, Layer.SERVER),
    RECORD_FAILED(503, true, Layer.SERVER),
    HOST_FAILED(500, false, Layer.HOST),
    DISK_FULL(507, false, Layer.COMMAND),
    INTERNAL(500, false, Layer.SERVER);

    private final int status;
    private final boolean retryable;
    private final Layer layer;

    Code(int status, boolean retryable, Layer layer) {
        this.status = status;
        this.retryable = retryable;
        this.layer = layer;
    }

    public int status() {
        return status;
    }

    public boolean retryable() {
        return retryable;
    }

    public Layer layer() {
        return layer;
    }

    /// Lower case with dashes, as on the wire.
    public String wire() {
        return name().toLowerCase(java.util.Locale.ROOT).replace('_', '-');
    }
}
