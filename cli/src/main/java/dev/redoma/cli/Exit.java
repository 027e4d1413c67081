// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.ClientException;
import dev.redoma.client.RedomaApiException;
import dev.redoma.client.ServerUnreachableException;

/// Exit codes, as `docs/cli.md` promises them.
final class Exit {
    static final int OK = 0;
    static final int FAILURE = 1;
    static final int USAGE = 2;
    static final int NOT_FOUND = 3;
    static final int REFUSED = 4;
    static final int LIMIT = 5;
    static final int UNREACHABLE = 6;
    /// `run`, `exec`, `attach`, `shell`: we ended the command for time.
    static final int TIME = 124;
    /// `run`, `exec`, `attach`, `shell`: any failure of ours.
    static final int OURS = 125;

    /// Nobody reads our output any more: what a shell shows of a program that SIGPIPE ended.
    static final int PIPE = 141;

    private Exit() {}

    static int of(ClientException e) {
        return switch (e) {
            case RedomaApiException api -> of(api.code(), api.status());
            case ServerUnreachableException u -> UNREACHABLE;
            default -> FAILURE;
        };
    }

    private static int of(String code, int status) {
        return switch (code) {
            case "quota-exceeded", "rate-limited", "no-capacity", "disk-full", "payload-too-large" -> LIMIT;
            case "unauthenticated", "forbidden", "policy-refused", "changes-moved", "approval-pending", "approval-denied", "address-refused", "registry-denied", "contents-refused", "not-offered", "not-enforceable" -> REFUSED;
            case "bad-request", "invalid-field" -> USAGE;
            default -> status == 404 || status == 410 ? NOT_FOUND : FAILURE;
        };
    }
}
