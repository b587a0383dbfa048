// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class MetricsLogTest {
    private final Logger logger = (Logger) LoggerFactory.getLogger("org.talos.metrics");
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private final Metrics metrics = new Metrics(() -> 0);
    private final MetricsLog log = new MetricsLog(metrics, Duration.ofMinutes(1));

    @BeforeEach
    void listen() {
        lines.start();
        logger.addAppender(lines);
        logger.setAdditive(false);
        metrics.counter("talos_puts_total", "", "Puts.").inc(3);
        metrics.counter("talos_gets_total", "", "Gets.");
        metrics.counter("talos_log_repeated_puts_total", "", "Repeated puts.").inc();
        metrics.histogram("talos_put_seconds", "", Unit.SECONDS, "A put.").update(2_000_000_000L);
    }

    @AfterEach
    void stop() {
        logger.detachAppender(lines);
        logger.setLevel(null); // that of the loggers above
        logger.setAdditive(true);
    }

    private List<String> written(Level level) {
        logger.setLevel(level);
        log.write();
        return lines.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    @Test
    void oneLineHasTheImportantMetricsThatHaveAValue() {
        assertThat(written(Level.INFO))
                .singleElement()
                .satisfies(line -> assertThat(line)
                        .startsWith("metrics talos_put_seconds.p99=2.0")
                        .endsWith(" talos_puts_total=3"));
    }

    @Test
    void allMetricsAreWrittenOnDemand() {
        assertThat(written(Level.DEBUG))
                .contains("talos_puts_total 3.0", "talos_gets_total 0.0", "talos_log_repeated_puts_total 1.0")
                .anyMatch(line -> line.startsWith("talos_put_seconds count=1 mean=2.0"));
    }

    @Test
    void nothingIsWrittenWhereTheLoggerIsOff() {
        assertThat(written(Level.OFF)).isEmpty();
    }
}
