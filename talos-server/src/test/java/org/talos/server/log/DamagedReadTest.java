// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.talos.server.log.LogFixture.ALL;
import static org.talos.server.log.LogFixture.append;
import static org.talos.server.log.LogFixture.block;
import static org.talos.server.log.LogFixture.put;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.slf4j.LoggerFactory;
import org.talos.common.error.Fault;
import org.talos.common.error.TalosException;
import org.talos.server.storage.SegmentName;
import org.talos.thrift.ErrorCode;

/** Damage that a read meets in the middle of a log: what is before it, what is behind it, and what is said of it. */
@Isolated // listens to a logger of all
class DamagedReadTest {
    /** Bytes of a head before its sequence id. */
    private static final int CHECKSUM_AT = 56;

    private final Logger logger = (Logger) LoggerFactory.getLogger(PartitionLog.class);
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private final LogFixture fixture = new LogFixture();

    @BeforeEach
    void listen() {
        lines.start();
        logger.addAppender(lines);
        fixture.tailCacheBytes = 0;
    }

    @AfterEach
    void leave() {
        logger.detachAppender(lines);
    }

    /** A log of five entries, of which the third has the offsets 2 to 4. */
    private PartitionLog log() throws Exception {
        PartitionLog log = fixture.open();
        append(log, put("a"));
        append(log, put("b"));
        append(log, put("c", block(3, "damaged")));
        append(log, put("d"));
        append(log, put("e"));
        return log;
    }

    private static int indexOf(byte[] bytes, String text) {
        return new String(bytes, StandardCharsets.ISO_8859_1).indexOf(text);
    }

    private void flip(int at) {
        SegmentName name = fixture.catalog.last();
        byte[] bytes = fixture.store.bytes(name);
        bytes[at] ^= 1;
        fixture.store.replace(name, bytes);
    }

    private void damageBlock() {
        flip(indexOf(fixture.store.bytes(fixture.catalog.last()), "damaged"));
    }

    private void damageHead() {
        byte[] bytes = fixture.store.bytes(fixture.catalog.last());
        int second = indexOf(bytes, "p#b");
        int third = new String(bytes, StandardCharsets.ISO_8859_1).indexOf("TLEN", second);
        flip(third + CHECKSUM_AT);
    }

    private static List<Long> offsets(Slice slice) {
        List<Long> offsets = new ArrayList<>();
        slice.blocks().forEach(each -> offsets.add(each.baseOffset()));
        return offsets;
    }

    private static void assertDamaged(PartitionLog log, long offset, long first) {
        TalosException e = catchThrowableOfType(TalosException.class, () -> log.read(offset, ALL));
        assertThat(e.code()).isEqualTo(ErrorCode.HDFS_OPERATION_FAILED);
        assertThat(e.fault()).contains(Fault.DAMAGED);
        assertThat(e)
                .hasMessage("messages here are damaged, and are not served: partition 0, offsets " + first
                        + " to 4; to leave them out, go on at 5");
        assertThat(e.damaged()).contains(new TalosException.Offsets(0, first, 4));
    }

    @Test
    void messagesBeforeTheDamageAreGivenFirstThenItsOffsetsAndThenWhatFollows() throws Exception {
        PartitionLog log = log();
        damageBlock();

        assertThat(offsets(log.read(0, ALL))).containsExactly(0L, 1L);
        assertDamaged(log, 2, 2);
        assertDamaged(log, 3, 2);
        assertThat(offsets(log.read(5, ALL))).containsExactly(5L, 6L);
    }

    @Test
    void whereAHeadIsDamagedReadersGoOnAtTheNextEntryThatIsWhole() throws Exception {
        PartitionLog log = log();
        damageHead();

        assertThat(offsets(log.read(0, ALL))).containsExactly(0L, 1L);
        assertDamaged(log, 2, 2);
        assertDamaged(log, 4, 2);
        assertThat(offsets(log.read(5, ALL))).containsExactly(5L, 6L);
    }

    @Test
    void damageIsCountedAndSaidOnceWithItsPlaceAndWhatToDo() throws Exception {
        PartitionLog log = log();
        damageBlock();
        assertThat(log.hasDamage()).isFalse();

        log.read(0, ALL);
        assertDamaged(log, 2, 2);
        assertDamaged(log, 2, 2);

        assertThat(log.hasDamage()).isTrue();
        assertThat(lines.list).hasSize(1);
        assertThat(lines.list.get(0).getLevel()).isEqualTo(Level.WARN);
        assertThat(lines.list.get(0).getFormattedMessage())
                .startsWith("messages are damaged")
                .contains("partition=" + LogFixture.ID, "segment=" + fixture.catalog.last(), "position=")
                .contains("first=2", "last=4", "bin/talos doctor");
    }
}
