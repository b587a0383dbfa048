// SPDX-License-Identifier: Apache-2.0
package org.talos.server.boot;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LogOutputTest {
    @TempDir
    private Path directory;

    /** The result of the server's own configuration of the log with these properties. */
    private static Optional<String> failure(Map<String, String> properties) throws Exception {
        return failure(properties, requireNonNull(LogOutput.class.getResource("/logback.xml")));
    }

    private static Optional<String> failure(Map<String, String> properties, URL configuration) throws Exception {
        LoggerContext logback = new LoggerContext();
        try {
            properties.forEach(logback::putProperty);
            JoranConfigurator configurator = new JoranConfigurator();
            configurator.setContext(logback);
            configurator.doConfigure(configuration);
            return LogOutput.failure(logback);
        } finally {
            logback.stop();
        }
    }

    @Test
    void logWithoutAFileIsWritten() throws Exception {
        assertThat(failure(Map.of())).isEmpty();
        assertThat(failure(Map.of("TALOS_LOGFORMAT", "json"))).isEmpty();
    }

    /** An operator may name another configuration. */
    @Test
    void logOfOneLoggerIsALog() throws Exception {
        Path configuration = Files.writeString(directory.resolve("own.xml"), """
                <configuration>
                    <appender name="own" class="ch.qos.logback.core.ConsoleAppender">
                        <encoder><pattern>%msg%n</pattern></encoder>
                    </appender>
                    <logger name="org.talos" level="INFO"><appender-ref ref="own"/></logger>
                </configuration>
                """);

        assertThat(failure(Map.of(), configuration.toUri().toURL())).isEmpty();
    }

    @Test
    void logFileIsMadeWithItsFolder() throws Exception {
        Path file = directory.resolve("logs/talos.log");

        assertThat(failure(Map.of("TALOS_LOGFILE", file.toString()))).isEmpty();
        assertThat(file).exists();
    }

    @Test
    void logFileThatCannotBeOpenedIsNamed() throws Exception {
        Path file = Files.createFile(directory.resolve("file")).resolve("talos.log");

        assertThat(failure(Map.of("TALOS_LOGFILE", file.toString())).orElseThrow())
                .contains(file.toString(), "TALOS_LOGFILE");
        assertThat(failure(Map.of("TALOS_LOGFILE", directory.toString(), "TALOS_LOGFORMAT", "json"))
                        .orElseThrow())
                .contains(directory.toString(), "TALOS_LOGFILE");
    }

    /** The level of the metrics' lines by the server's own configuration of the log. */
    private static Level metricsLevel(Map<String, String> properties) throws Exception {
        LoggerContext logback = new LoggerContext();
        try {
            properties.forEach(logback::putProperty);
            JoranConfigurator configurator = new JoranConfigurator();
            configurator.setContext(logback);
            configurator.doConfigure(requireNonNull(LogOutput.class.getResource("/logback.xml")));
            return logback.getLogger("org.talos.metrics").getLevel();
        } finally {
            logback.stop();
        }
    }

    @Test
    void terminalHasNoLinesOfMetricsUnlessAskedTo() throws Exception {
        assertThat(metricsLevel(Map.of("talos.watched", "true"))).isEqualTo(Level.OFF);
        assertThat(metricsLevel(Map.of("talos.watched", "true", "TALOS_LOGMETRICS", "INFO")))
                .isEqualTo(Level.INFO);
    }

    @Test
    void logThatIsNoTerminalHasMetricsAtItsOwnLevel() throws Exception {
        String file = directory.resolve("talos.log").toString();

        assertThat(metricsLevel(Map.of("talos.watched", "false", "talos.log.level", "INFO")))
                .isEqualTo(Level.INFO);
        assertThat(metricsLevel(Map.of("talos.watched", "true", "talos.log.level", "INFO", "TALOS_LOGFILE", file)))
                .isEqualTo(Level.INFO);
        assertThat(metricsLevel(Map.of("talos.watched", "false", "talos.log.level", "WARN")))
                .isEqualTo(Level.WARN);
        assertThat(metricsLevel(Map.of("TALOS_LOGMETRICS", "DEBUG"))).isEqualTo(Level.DEBUG);
    }
}
