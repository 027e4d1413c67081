// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import ch.qos.logback.classic.PatternLayout;
import ch.qos.logback.classic.pattern.MessageConverter;
import ch.qos.logback.classic.spi.ILoggingEvent;
import dev.redoma.ledger.redact.Hits;
import dev.redoma.ledger.redact.Patterns;

/// Lines of the server's log without what has the shape of a token, and without what acts on a terminal or looks like another line.
final class MaskedLayout extends PatternLayout {
    private static final String PATTERN = "%d{\"yyyy-MM-dd'T'HH:mm:ss.SSSXXX\",UTC} %level %logger{0} %line%n";
    private static final int LONGEST = 64 << 10;

    private final LogBudget budget;

    MaskedLayout(LogBudget budget) {
        this.budget = budget;
        getInstanceConverterMap().put("line", Line::new);
        setPattern(PATTERN);
    }

    /// The message has no line breaks; a stack behind it does.
    private static final class Line extends MessageConverter {
        @Override
        public String convert(ILoggingEvent event) {
            return super.convert(event).replaceAll("[\\r\\n\\u0085\\u2028\\u2029]+", " / ");
        }
    }

    @Override
    public String doLayout(ILoggingEvent event) {
        String line = super.doLayout(event);
        int left = budget.leftOut(event.getLoggerName(), String.valueOf(event.getMessage()));
        String whole = (line.length() > LONGEST ? line.substring(0, LONGEST) + "...\n" : line) + (left == 0 ? "" : "    and " + left + " like it, left out\n");
        return plain(Patterns.shapes().mask(whole, new Hits()));
    }

    private static String plain(String text) {
        var out = new StringBuilder(text.length());
        text.codePoints().forEach(c -> {
            boolean acts = c != '\n' && c != '\t' && (Character.isISOControl(c) || Character.getType(c) == Character.FORMAT || Character.getType(c) == Character.LINE_SEPARATOR || Character.getType(c) == Character.PARAGRAPH_SEPARATOR);
            if (acts) {
                out.append(String.format("\\u%04x", c));
            } else {
                out.appendCodePoint(c);
            }
        });
        return out.toString();
    }
}
