// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.model.wire.Tty;
import java.io.IOException;
import org.jline.terminal.Attributes;
import org.jline.terminal.Terminal;
import org.jline.terminal.TerminalBuilder;

/// The user's own terminal in raw mode; `close` gives it back as it was.
final class LocalTerminal implements AutoCloseable {
    private final Terminal terminal;
    private final Attributes before;

    private LocalTerminal(Terminal terminal) {
        this.terminal = terminal;
        this.before = terminal.getAttributes();
    }

    /// Without JLine's own questions to the terminal: their answers would be typed into the command.
    static LocalTerminal open() throws IOException {
        var terminal = new LocalTerminal(TerminalBuilder.builder().system(true).provider("ffm").dumb(false).graphemeCluster(false).build());
        terminal.raw();
        return terminal;
    }

    /// Every byte goes through, Ctrl-C too.
    private void raw() {
        var raw = new Attributes(before);
        raw.setLocalFlags(java.util.EnumSet.of(Attributes.LocalFlag.ISIG, Attributes.LocalFlag.ICANON, Attributes.LocalFlag.ECHO,
                Attributes.LocalFlag.IEXTEN), false);
        raw.setInputFlags(java.util.EnumSet.of(Attributes.InputFlag.IXON, Attributes.InputFlag.ICRNL, Attributes.InputFlag.INLCR,
                Attributes.InputFlag.IGNCR, Attributes.InputFlag.BRKINT, Attributes.InputFlag.ISTRIP), false);
        raw.setOutputFlag(Attributes.OutputFlag.OPOST, false);
        raw.setControlChar(Attributes.ControlChar.VMIN, 1);
        raw.setControlChar(Attributes.ControlChar.VTIME, 0);
        terminal.setAttributes(raw);
    }

    Tty size() {
        var size = terminal.getSize();
        var term = System.getenv("TERM");
        boolean unknown = size.getColumns() < 1 || size.getRows() < 1;
        return new Tty(unknown ? 80 : Math.min(size.getColumns(), 1000), unknown ? 24 : Math.min(size.getRows(), 1000), term == null || term.isBlank() ? null : term);
    }

    void onResize(Runnable action) {
        terminal.handle(Terminal.Signal.WINCH, signal -> action.run());
    }

    @Override
    public void close() throws IOException {
        terminal.setAttributes(before);
        terminal.close();
    }
}
