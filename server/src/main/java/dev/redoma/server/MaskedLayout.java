// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import ch.qos.logback.classic.PatternLayout;
import ch.qos.logback.classic.spi.ILoggingEvent;
import dev.redoma.ledger.redact.Hits;
import dev.redoma.ledger.redact.Patterns;

/// Lines of the server's log without what has the shape of a token.
final class MaskedLayout extends PatternLayout {
    @Override
    public String doLayout(ILoggingEvent event) {
        return Patterns.shapes().mask(super.doLayout(event), new Hits());
    }
}
