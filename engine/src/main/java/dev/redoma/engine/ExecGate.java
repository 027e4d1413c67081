// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Caller;

/// What a command of a caller passes before it begins.
interface ExecGate {
    ApprovalTicket pass(Caller caller, Live live, ExecOrder order);
}
