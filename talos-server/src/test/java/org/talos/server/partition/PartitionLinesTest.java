// SPDX-License-Identifier: Apache-2.0
package org.talos.server.partition;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.slf4j.LoggerFactory;
import org.talos.server.partition.Partition.State;
import org.talos.server.storage.LogId;

/** Tests the log lines about partitions. */
@Isolated // listens to a logger of all
class PartitionLinesTest {
    private final Logger logger = (Logger) LoggerFactory.getLogger(Partition.class);
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private final Partition partition = new Partition(new LogId("0123456789abcdef0123456789abcdef", 3));

    @BeforeEach
    void listen() {
        logger.setLevel(Level.INFO);
        lines.start();
        logger.addAppender(lines);
        partition.become(State.SERVING, null, "opened");
    }

    @AfterEach
    void leave() {
        logger.detachAppender(lines);
        logger.setLevel(null);
    }

    @Test
    void partitionThatIsClosedAloneIsNamed() {
        var unused = partition.close("topic deleted");

        assertThat(lines.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .singleElement()
                .asString()
                .contains("to=CLOSED reason=topic deleted");
    }

    /** Of ten thousand of them that would be as many lines. */
    @Test
    void partitionThatIsClosedWithAllOthersIsNot() {
        var unused = partition.close(Partition.SERVER_STOPS);

        assertThat(lines.list).isEmpty();
    }
}
