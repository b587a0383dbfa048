// SPDX-License-Identifier: Apache-2.0
package org.talos.server.boot;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.status.Status;
import java.io.IOException;
import java.util.Iterator;
import java.util.Optional;
import org.slf4j.LoggerFactory;

/**
 * Checks that the log of the process can be written. Logback itself continues silently without a log, and failures
 * would go unnoticed.
 *
 * <p>Immutable.
 */
public final class LogOutput {
    private LogOutput() {}

    /**
     * Checks that the log can be written.
     *
     * @throws IOException the log cannot be written; the message has the reason and the remedy
     */
    public static void check() throws IOException {
        if (LoggerFactory.getILoggerFactory() instanceof LoggerContext logback) {
            Optional<String> failure = failure(logback);
            if (failure.isPresent()) {
                throw new IOException(failure.get());
            }
        }
    }

    /** Returns the reason why no appender writes anything, and the remedy; empty if one does. */
    static Optional<String> failure(LoggerContext logback) {
        if (logback.getLoggerList().stream().anyMatch(LogOutput::isWritten)) {
            return Optional.empty();
        }
        String why = logback.getStatusManager().getCopyOfStatusList().stream()
                .filter(status -> status.getLevel() >= Status.ERROR)
                .map(LogOutput::sentence)
                .findFirst()
                .orElse("its configuration names no output");
        return Optional.of(
                "the log cannot be written: " + why + ". Set TALOS_LOGFILE to a file that this user may write,"
                        + " or leave the variable out: then the log goes to standard error");
    }

    private static boolean isWritten(Logger logger) {
        Iterator<Appender<ILoggingEvent>> outputs = logger.iteratorForAppenders();
        while (outputs.hasNext()) {
            if (outputs.next().isStarted()) {
                return true;
            }
        }
        return false;
    }

    private static String sentence(Status status) {
        Throwable cause = status.getThrowable();
        return cause == null || cause.getMessage() == null
                ? status.getMessage()
                : status.getMessage() + " " + cause.getMessage();
    }
}
