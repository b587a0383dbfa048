// SPDX-License-Identifier: Apache-2.0
package org.talos.server.partition;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.slf4j.LoggerFactory;
import org.talos.server.log.time.Retention;
import org.talos.server.metadata.rows.topic.Records;
import org.talos.server.runtime.time.SteadyClock;

@Isolated // listens to a logger of all
class RetentionRoundsTest {
    private static final long START_MILLIS = 1_700_000_000_000L;

    private long passedMillis;
    private long setMillis;
    private boolean clockIsRight = true;
    private Retention.Signs signs = Retention.Signs.NONE;
    private final List<Retention> applied = new ArrayList<>();
    private final RetentionRounds rounds = new RetentionRounds(
            () -> List.of(Records.topic("first", 1)),
            (id, limits) -> {
                applied.add(limits);
                return signs;
            },
            () -> clockIsRight,
            new SteadyClock(
                    () -> Instant.ofEpochMilli(START_MILLIS + passedMillis + setMillis),
                    () -> passedMillis * 1_000_000),
            () -> passedMillis * 1_000_000,
            7);

    private Retention round() {
        applied.clear();
        rounds.run();
        assertThat(applied).hasSize(8); // one for each partition
        return applied.get(7);
    }

    @Test
    void oldLogsAreSparedInTheFirstHour() {
        long day = Duration.ofDays(1).toMillis();

        assertThat(round()).isEqualTo(new Retention(START_MILLIS, day, 7, true));
        passedMillis = Duration.ofMinutes(59).toMillis();
        assertThat(round().sparesOldLogs()).isTrue();
        passedMillis = Duration.ofMinutes(60).toMillis();
        assertThat(round()).isEqualTo(new Retention(START_MILLIS + passedMillis, day, 7, false));
    }

    @Test
    void clockThatIsSetDeletesNothing() {
        passedMillis = Duration.ofHours(2).toMillis();
        round();

        setMillis = Duration.ofDays(2).toMillis();

        assertThat(round().nowMillis()).isEqualTo(START_MILLIS + passedMillis);
    }

    @Test
    void nothingIsDeletedByAClockThatTheClusterHasNot() {
        clockIsRight = false;

        rounds.run();

        assertThat(applied).isEmpty();
    }

    @Test
    void partitionsThatAreSparedOrAheadAreSaidOnceWithWhatToDo() {
        Logger logger = (Logger) LoggerFactory.getLogger(RetentionRounds.class);
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        logger.addAppender(lines);
        try {
            signs = new Retention.Signs(true, true);
            round();
            round();
        } finally {
            logger.detachAppender(lines);
        }

        assertThat(lines.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .satisfiesExactly(
                        spared -> assertThat(spared).contains("stop it before", "partitions=8"),
                        ahead -> assertThat(ahead).contains("log.clockRightSince", "partitions=8"));
    }
}
