// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.talos.server.log.LogFixture.ALL;
import static org.talos.server.log.LogFixture.append;
import static org.talos.server.log.LogFixture.block;
import static org.talos.server.log.LogFixture.put;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.CRC32C;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;
import org.talos.common.error.Fault;
import org.talos.common.error.TalosException;
import org.talos.server.log.index.SegmentIndexes;
import org.talos.server.storage.SegmentName;
import org.talos.thrift.ErrorCode;

/** Damage that a read meets in the middle of a log: what is before it, what is behind it, and what is said of it. */
@Isolated // listens to a logger of all
class DamagedReadTest {
    // Bytes of a head whose last bit is flipped; both lengths become larger by 256, and still end within the segment.
    private static final int VERSION_AT = 5;
    private static final int ATTRIBUTES_AT = 14;
    private static final int LENGTH_AT = 18;
    private static final int CHECKSUM_AT = 56;

    private static final int SEQUENCE_ID_AT = 60;
    private static final BlockLimits ONE = new BlockLimits(1, 1);

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

    /** A log of five entries, of which the third has the offsets 2 to 4, and was appended 10 ms after the second. */
    private PartitionLog log() throws Exception {
        PartitionLog log = fixture.open();
        append(log, put("a"));
        append(log, put("b"));
        fixture.millis += 10;
        append(log, put("c", block(3, "damaged")));
        fixture.millis += 10;
        append(log, put("d"));
        append(log, put("e", block(1, "e".repeat(600))));
        return log;
    }

    /** The same log, sealed, with further entries of one message up to offset 56, and without an index. */
    private SegmentName sealedWithoutIndex() throws Exception {
        PartitionLog log = log();
        for (int i = 7; i < 57; i++) {
            append(log, put("p#" + i, block(1, "x".repeat(600))));
        }
        log.close();
        fixture.open(); // seals it
        SegmentName name = fixture.catalog.last();
        fixture.store.replaceIndex(name, null);
        fixture.indexes = new SegmentIndexes(1 << 20);
        return name;
    }

    private static BlockLimits.Room room(long most) {
        AtomicLong left = new AtomicLong(most);
        return bytes -> left.addAndGet(-bytes) >= 0;
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

    /** Returns where the third entry begins. */
    private static int third(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1).indexOf("TLEN", indexOf(bytes, "p#b"));
    }

    private void damageHead(int field) {
        flip(third(fixture.store.bytes(fixture.catalog.last())) + field);
    }

    /** Makes the third entry one of format version 2, whole by its checksum. */
    private void raiseVersion() {
        SegmentName name = fixture.catalog.last();
        byte[] bytes = fixture.store.bytes(name);
        int at = third(bytes);
        bytes[at + VERSION_AT] = 2;
        CRC32C crc = new CRC32C();
        crc.update(bytes, at, CHECKSUM_AT);
        crc.update(bytes, at + SEQUENCE_ID_AT, 1);
        ByteBuffer.wrap(bytes).putInt(at + CHECKSUM_AT, (int) crc.getValue());
        fixture.store.replace(name, bytes);
    }

    private static List<Long> offsets(Slice slice) {
        List<Long> offsets = new ArrayList<>();
        slice.blocks().forEach(each -> offsets.add(each.baseOffset()));
        return offsets;
    }

    private static void assertDamaged(PartitionLog log, long offset, long first) {
        assertDamaged(() -> log.read(offset, ALL), first);
    }

    private static void assertDamaged(PartitionLog log, long offset, long first, long last) {
        assertDamaged(() -> log.read(offset, ALL), first, last);
    }

    private static void assertDamaged(ThrowingCallable reading, long first) {
        assertDamaged(reading, first, 4);
    }

    private static void assertDamaged(ThrowingCallable reading, long first, long last) {
        TalosException e = catchThrowableOfType(TalosException.class, reading);
        assertThat(e.code()).isEqualTo(ErrorCode.HDFS_OPERATION_FAILED);
        assertThat(e.fault()).contains(Fault.DAMAGED);
        assertThat(e)
                .hasMessage("messages here are damaged, and are not served: partition 0, offsets " + first + " to "
                        + last + "; to leave them out, continue at " + (last + 1));
        assertThat(e.damaged()).contains(new TalosException.Offsets(0, first, last));
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

    /** A damaged head is not believed: neither its version nor its lengths. */
    @ParameterizedTest
    @ValueSource(ints = {VERSION_AT, ATTRIBUTES_AT, LENGTH_AT, CHECKSUM_AT})
    void whereAHeadIsDamagedReadersContinueAtTheNextEntryThatIsWhole(int field) throws Exception {
        PartitionLog log = log();
        damageHead(field);

        assertThat(offsets(log.read(0, ALL))).containsExactly(0L, 1L);
        assertDamaged(log, 2, 2);
        assertDamaged(log, 4, 2);
        assertThat(offsets(log.read(5, ALL))).containsExactly(5L, 6L);
        assertThat(offsets(log.read(5, ONE, room(1)))).containsExactly(5L);
    }

    @ParameterizedTest
    @ValueSource(ints = {VERSION_AT, LENGTH_AT})
    void damagedHeadNeedsNoRoomForWhatItClaims(int field) throws Exception {
        PartitionLog log = log();
        damageHead(field);

        TalosException e = catchThrowableOfType(TalosException.class, () -> log.read(2, ALL, room(100)));

        assertThat(e.damaged()).contains(new TalosException.Offsets(0, 2, 4));
    }

    @Test
    void wholeEntryOfALaterVersionIsRefusedByItsVersionAndNotPassedOver() throws Exception {
        PartitionLog log = log();
        raiseVersion();

        for (long offset : new long[] {2, 5}) {
            TalosException e = catchThrowableOfType(TalosException.class, () -> log.read(offset, ALL));
            assertThat(e.damaged()).isEmpty();
            assertThat(e).cause().hasMessageContaining("format version 2");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {VERSION_AT, LENGTH_AT, CHECKSUM_AT})
    void offsetsBehindADamagedHeadAreReadFromNearThemThoughNoIndexWasSaved(int field) throws Exception {
        SegmentName name = sealedWithoutIndex();
        damageHead(field);

        assertReadFromNear(name);
    }

    @Test
    void offsetsBehindADamagedBlockAreReadFromNearThemThoughNoIndexWasSaved() throws Exception {
        SegmentName name = sealedWithoutIndex();
        damageBlock();

        assertReadFromNear(name);
    }

    /** The room is for one block: what lies between the damage and the wanted offset takes none. */
    private void assertReadFromNear(SegmentName name) throws Exception {
        PartitionLog log = fixture.open();

        assertThat(offsets(log.read(5, ONE, room(1)))).containsExactly(5L);
        assertThat(offsets(log.read(55, ONE, room(600)))).containsExactly(55L);

        long before = fixture.store.bytesRead().getOrDefault(name, 0L);
        assertThat(offsets(log.read(56, ONE, room(600)))).containsExactly(56L);
        assertThat(fixture.store.bytesRead().getOrDefault(name, 0L) - before).isLessThan(3_000);
        assertDamaged(log, 3, 2);
    }

    @Test
    void timeIsLookedForBehindDamageThatIsSurelyOlder() throws Exception {
        PartitionLog log = log();
        damageBlock();

        assertThat(log.offsetAtTime(fixture.millis)).isEqualTo(5);
        assertDamaged(() -> log.offsetAtTime(fixture.millis - 10), 2);
    }

    /** The head that had the time is damaged. */
    @ParameterizedTest
    @ValueSource(ints = {VERSION_AT, LENGTH_AT, CHECKSUM_AT})
    void timeThatMayBeAmongDamagedMessagesIsAnsweredWithTheirOffsets(int field) throws Exception {
        PartitionLog log = log();
        damageHead(field);

        assertThat(log.offsetAtTime(0)).isZero();
        assertDamaged(() -> log.offsetAtTime(fixture.millis), 2);
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

    /**
     * A log whose second entry, of 300 KiB, has a damaged head; sealed, with a point of the index at its begin only.
     */
    private PartitionLog largeDamaged() throws Exception {
        fixture.segmentBytes = 1 << 20;
        PartitionLog log = fixture.open();
        append(log, put("a"));
        append(log, put("c", block(3, "damaged" + "x".repeat(300 << 10))));
        append(log, put("d"));
        log.close();
        byte[] bytes = fixture.store.bytes(fixture.catalog.last());
        flip(indexOf(bytes, "p#a") + "p#aa".length() + CHECKSUM_AT);
        return fixture.open();
    }

    private long bytesRead() {
        return fixture.store
                .bytesRead()
                .getOrDefault(fixture.catalog.segments().get(0).name(), 0L);
    }

    @Test
    void damageIsLookedThroughOnceHoweverManyReadersCome() throws Exception {
        PartitionLog log = largeDamaged();
        assertDamaged(log, 1, 1, 3);
        long before = bytesRead();

        for (int i = 0; i < 10; i++) {
            assertDamaged(log, 1 + i % 3, 1, 3);
            assertThat(offsets(log.read(4, ALL))).containsExactly(4L);
        }

        assertThat(bytesRead() - before).isLessThan(20 * (140L << 10)); // a first piece of each read, but no search
    }

    @Test
    void damageThatWasRepairedIsReadAMinuteLater() throws Exception {
        PartitionLog log = largeDamaged();
        assertDamaged(log, 1, 1, 3);
        byte[] bytes = fixture.store.bytes(fixture.catalog.segments().get(0).name());
        flip(indexOf(bytes, "p#a") + "p#aa".length() + CHECKSUM_AT);

        fixture.millis += 60_001;

        assertThat(offsets(log.read(1, ALL))).containsExactly(1L, 4L);
    }

    /** Its files end too early, and the index was lost with their end. */
    @Test
    void whatASealedSegmentStillHasIsReadThoughItsEndAndItsIndexAreMissing() throws Exception {
        SegmentName name = sealedWithoutIndex();
        PartitionLog log = fixture.open();
        byte[] bytes = fixture.store.bytes(name);

        fixture.store.readUpTo(bytes.length - 10);

        assertThat(offsets(log.read(0, ALL))).hasSize(54).endsWith(55L);
        assertThat(offsets(log.read(55, ALL))).containsExactly(55L);
        assertThatThrownBy(() -> log.read(56, ALL)).hasMessage("messages here are damaged, and are not served");
    }
}
