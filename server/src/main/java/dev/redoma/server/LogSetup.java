// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.OutputStreamAppender;
import ch.qos.logback.core.encoder.LayoutWrappingEncoder;
import ch.qos.logback.core.rolling.FixedWindowRollingPolicy;
import ch.qos.logback.core.rolling.RollingFileAppender;
import ch.qos.logback.core.rolling.SizeBasedTriggeringPolicy;
import ch.qos.logback.core.spi.ContextAwareBase;
import ch.qos.logback.core.util.FileSize;

/// Where the server's own messages go: stderr, and `server.log` (five of 10 MiB) in the directory that the property `redoma.log.dir` names.
/// One line an event; exceptions with their stack. Of each kind of message some at once and one every few seconds.
public final class LogSetup extends ContextAwareBase implements Configurator {
    static final String DIRECTORY = "redoma.log.dir";
    /// `false`: the file alone, where stderr is a file that nobody turns over.
    static final String CONSOLE = "redoma.log.console";

    @Override
    public ExecutionStatus configure(LoggerContext context) {
        var directory = System.getProperty(DIRECTORY);
        var root = context.getLogger("ROOT");
        root.setLevel(Level.toLevel(System.getProperty("redoma.log.level"), directory == null ? Level.WARN : Level.INFO));
        // what clients and sandboxes send that is no HTTP is answered, and no news
        context.getLogger("org.eclipse.jetty").setLevel(Level.ERROR);
        // its failures are exceptions to whoever uses it
        context.getLogger("org.eclipse.jgit").setLevel(Level.OFF);
        var budget = new LogBudget();
        budget.setContext(context);
        budget.start();
        context.addTurboFilter(budget);
        if (directory == null || !"false".equals(System.getProperty(CONSOLE))) {
            var console = new ConsoleAppender<ILoggingEvent>();
            console.setTarget("System.err");
            root.addAppender(started(context, console, budget));
        }
        if (directory != null) {
            root.addAppender(started(context, file(context, directory), budget));
        }
        return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
    }

    private static OutputStreamAppender<ILoggingEvent> started(LoggerContext context, OutputStreamAppender<ILoggingEvent> appender, LogBudget budget) {
        var layout = new MaskedLayout(budget);
        layout.setContext(context);
        layout.start();
        var encoder = new LayoutWrappingEncoder<ILoggingEvent>();
        encoder.setContext(context);
        encoder.setLayout(layout);
        encoder.start();
        appender.setContext(context);
        appender.setEncoder(encoder);
        appender.start();
        return appender;
    }

    private static RollingFileAppender<ILoggingEvent> file(LoggerContext context, String directory) {
        var file = new RollingFileAppender<ILoggingEvent>();
        file.setContext(context);
        file.setFile(directory + "/server.log");
        var window = new FixedWindowRollingPolicy();
        window.setContext(context);
        window.setParent(file);
        window.setFileNamePattern(directory + "/server.%i.log");
        window.setMinIndex(1);
        window.setMaxIndex(4);
        window.start();
        var size = new SizeBasedTriggeringPolicy<ILoggingEvent>();
        size.setContext(context);
        size.setMaxFileSize(FileSize.valueOf("10MB"));
        size.start();
        file.setRollingPolicy(window);
        file.setTriggeringPolicy(size);
        return file;
    }
}
