// SPDX-License-Identifier: Apache-2.0
package org.talos.server.partition;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.common.error.Effect;
import org.talos.server.cluster.OwnershipChange;
import org.talos.server.log.Block;
import org.talos.server.log.PartitionLog;
import org.talos.server.log.Put;
import org.talos.server.log.PutTicket;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.MetadataException.Reason;
import org.talos.server.metadata.rocksdb.RocksDbMetadataStore;
import org.talos.server.metadata.rows.PartitionRecord;
import org.talos.server.metadata.rows.Partitions;
import org.talos.server.metadata.rows.Versioned;
import org.talos.server.storage.LogId;
import org.talos.server.storage.SegmentOptions;
import org.talos.server.testing.FailingMetadataStore;
import org.talos.server.testing.GatedSegmentStore;
import org.talos.server.testing.HandDrivenScheduler;
import org.talos.server.testing.MemorySegmentStore;
import org.talos.server.testing.SmallLogs;

/** Partitions come from other servers and go to them: by a hand-driven scheduler. */
@Timeout(60)
class HandoverTest {
    private static final LogId ID = new LogId("0123456789abcdef0123456789abcdef", 0);

    @TempDir
    private Path data;

    private final HandDrivenScheduler time = new HandDrivenScheduler();
    private final ToldOwnership cluster = new ToldOwnership();
    private final AtomicInteger failing = new AtomicInteger();
    private volatile Throwable failure = new IllegalStateException("made to fail");
    private final Deque<Optional<Boolean>> existence = new ArrayDeque<>(); // what is answered first; empty: a failure
    private boolean exists = true;
    private FailingMetadataStore store;
    private GatedSegmentStore segments;
    private Partitions rows;
    private PartitionManager manager;

    @BeforeEach
    void open() throws Exception {
        store = new FailingMetadataStore(RocksDbMetadataStore.open(data));
        rows = new Partitions(store);
        PartitionLog.Parts parts = SmallLogs.onCallersThread(time::nanos);
        segments = new GatedSegmentStore(new MemorySegmentStore());
        manager =
                new PartitionManager(segments, rows, new Failing(), SmallLogs.CONFIG, parts, time, Runnable::run, "me");
        manager.within(cluster);
    }

    @AfterEach
    void close() {
        manager.close();
        store.close();
    }

    /** Fails to learn of a topic as often as it is asked to, and knows whether it exists. Thread-safe. */
    private final class Failing implements TopicOptions {
        @Override
        public SegmentOptions of(LogId id) {
            return SegmentOptions.DEFAULT;
        }

        @Override
        public void learn(LogId id) {
            if (failing.getAndDecrement() > 0) {
                if (failure instanceof Error error) {
                    throw error;
                }
                throw new IllegalStateException(failure);
            }
        }

        @Override
        public boolean exists(LogId id) throws MetadataException {
            Optional<Boolean> answer = existence.isEmpty() ? Optional.of(exists) : existence.remove();
            return answer.orElseThrow(() -> new MetadataException(Reason.UNAVAILABLE, Effect.NONE, "made not to know"));
        }
    }

    private PartitionRecord row() throws MetadataException {
        return rows.find(ID.topicId(), 0).orElseThrow().value();
    }

    private void follow(boolean owned) {
        manager.follow(new OwnershipChange(ID.topicId(), ID.partition(), owned));
        time.run();
    }

    /** Another process has it. */
    private void heldBy(String owner, boolean alive) throws MetadataException {
        PartitionRecord held = new PartitionRecord(7, owner, 0, List.of());
        long before = rows.find(ID.topicId(), 0).map(Versioned::version).orElse(0L);
        rows.save(ID.topicId(), 0, held, before).orElseThrow();
        if (alive) {
            cluster.alive.add(owner);
        }
    }

    private void released() throws MetadataException {
        Versioned<PartitionRecord> row = rows.find(ID.topicId(), 0).orElseThrow();
        PartitionRecord value = row.value();
        PartitionRecord next = new PartitionRecord(value.epoch(), "", value.startOffset(), value.segments());
        rows.save(ID.topicId(), 0, next, row.version()).orElseThrow();
    }

    private PutTicket append() {
        Block block = new Block(1, 0, 0, ByteBuffer.allocate(0), ByteBuffer.wrap("message".getBytes(UTF_8)));
        return manager.partition(ID)
                .log()
                .append(List.of(new Put("p#1", Put.Origin.UNIQUE, List.of(block))))
                .get(0);
    }

    private void assertNotTakenFrom(String owner) throws MetadataException {
        assertThat(row().owner()).isEqualTo(owner);
        assertThat(manager.serving(ID)).isEmpty();
    }

    private void assertServed() throws MetadataException {
        assertThat(row().owner()).isEqualTo("me");
        assertThat(manager.summary()).isEqualTo("1 of 1");
    }

    @Test
    void takerWaitsForAsLongAsItsGiverLivesAndDelayRemovedHasNotPassed() throws Exception {
        heldBy("another", true);
        follow(true);

        time.pass(Duration.ofSeconds(59));
        assertNotTakenFrom("another");

        time.pass(Duration.ofSeconds(2));
        assertServed();
    }

    @Test
    void takerOfADeadOwnersPartitionWaitsForNothing() throws Exception {
        heldBy("another", false);

        follow(true);

        assertServed();
    }

    @Test
    void takerWaitsNoLongerThanItsGiverLives() throws Exception {
        heldBy("another", true);
        follow(true);
        time.pass(Duration.ofSeconds(10));
        assertNotTakenFrom("another");

        cluster.alive.remove("another");
        time.pass(Duration.ofSeconds(1));

        assertServed();
    }

    @Test
    void announcedReleaseIsFollowedAtOnce() throws Exception {
        heldBy("another", true);
        follow(true);
        time.pass(Duration.ofSeconds(10));

        released();
        manager.released(ID.topicId(), ID.partition());
        time.run();

        assertServed();
        time.pass(Duration.ofSeconds(10));
        assertThat(row().epoch()).as("the look that was due is none any more").isEqualTo(8);
    }

    @Test
    void releaseThatIsAnnouncedWhileTheRowIsReadIsNotMissed() throws Exception {
        heldBy("another", true);
        AtomicInteger asked = new AtomicInteger();
        cluster.whenAsked = () -> {
            if (asked.incrementAndGet() == 2) { // the row has been read: another's
                uncheckedRelease();
                manager.released(ID.topicId(), ID.partition());
            }
        };

        follow(true);

        assertServed();
    }

    private void uncheckedRelease() {
        try {
            released();
        } catch (MetadataException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void failedReadDoesNotEndTheWait() throws Exception {
        heldBy("another", true);
        follow(true);
        store.failReads(3);

        time.pass(Duration.ofSeconds(30));

        assertNotTakenFrom("another");
        released();
        time.pass(Duration.ofSeconds(2));
        assertServed();
    }

    @Test
    void failedReadDoesNotBeginTheWaitAnew() throws Exception {
        heldBy("another", true);
        follow(true);
        time.pass(Duration.ofSeconds(50));
        store.failReads(1);

        time.pass(Duration.ofSeconds(12));

        assertServed();
    }

    @Test
    void serverThatIsAboutToStopTakesNothingThatItWaitsFor() throws Exception {
        heldBy("another", true);
        follow(true);

        cluster.ours = false; // as a server is told that is leaving
        released();
        manager.released(ID.topicId(), ID.partition());
        time.pass(Duration.ofSeconds(2));
        manager.close();
        time.pass(Duration.ofMinutes(2));

        assertNotTakenFrom("");
    }

    @Test
    void serverThatIsCutOffTakesNothingAndReadsNoRows() throws Exception {
        heldBy("another", false);
        cluster.ours = false;
        follow(true);
        time.pass(Duration.ofMinutes(5));
        assertNotTakenFrom("another");

        cluster.ours = true;
        manager.inTouch();
        time.run();

        assertServed();
    }

    @Test
    void takerThatWasPausedTakesNothingThatAnotherHasTakenMeanwhile() throws Exception {
        heldBy("another", false);
        AtomicInteger asked = new AtomicInteger();
        cluster.whenAsked = () -> {
            if (asked.incrementAndGet() == 2) { // the row has been read, and a pause begins …
                try {
                    heldBy("a third", true); // … in which the partition goes to a server that lives
                } catch (MetadataException e) {
                    throw new IllegalStateException(e);
                }
            }
        };
        follow(true);

        assertNotTakenFrom("a third");
        time.pass(Duration.ofSeconds(59));
        assertNotTakenFrom("a third");
    }

    @Test
    void partitionIsTakenBackOnlyOnceItsOwnerHasReleasedIt() throws Exception {
        follow(true);
        heldBy("another", true);
        var unused = append();

        time.pass(Duration.ofSeconds(30));
        assertNotTakenFrom("another");

        released();
        time.pass(Duration.ofSeconds(2));
        assertServed();
    }

    @Test
    void lossBehindAGainThatWaitsComesThroughAtOnce() throws Exception {
        heldBy("another", true);
        follow(true);

        follow(false);

        assertThat(manager.has(ID)).isFalse();
        assertThat(cluster.released).containsExactly(ID);
        time.pass(Duration.ofMinutes(2));
        assertNotTakenFrom("another");
    }

    @Test
    void lossOfWhatWasNeverHereIsAnnouncedToo() {
        follow(false);

        assertThat(cluster.released).containsExactly(ID);
    }

    @Test
    void openingThatAnErrorEndsIsTriedAgain() throws Exception {
        failure = new StackOverflowError("made to fail");
        failing.set(2);

        follow(true);
        time.pass(Duration.ofSeconds(1));

        assertServed();
    }

    @Test
    void openingThatAnExceptionEndsIsTriedAgain() throws Exception {
        failure = new IllegalStateException("made to fail");
        failing.set(2);

        follow(true);
        time.pass(Duration.ofSeconds(1));

        assertServed();
    }

    @Test
    void openingThatFailsForEverIsTriedLessAndLessOften() {
        failure = new IllegalStateException("made to fail");
        failing.set(1_000_000);

        follow(true);
        time.pass(Duration.ofMinutes(5));

        assertThat(1_000_000 - failing.get()).isBetween(30, 40);
    }

    @Test
    void partitionThatCouldNotBeOpenedHereIsReleasedForTheNext() throws Exception {
        segments.failListing(1_000);
        follow(true);
        time.pass(Duration.ofSeconds(1));
        assertThat(row().owner()).as("the epoch is taken first").isEqualTo("me");
        assertThat(manager.serving(ID)).isEmpty();

        follow(false);

        assertThat(row().owner()).isEmpty();
        assertThat(cluster.released).containsExactly(ID);
    }

    @Test
    void logThatCouldNotBeSealedIsSealedByAnotherOpeningBeforeItIsReleased() throws Exception {
        follow(true);
        append().firstOffset().join();
        segments.failSeals(1);

        follow(false);

        assertThat(row().owner()).isEmpty();
        assertThat(row().segments())
                .hasSize(1)
                .allSatisfy(each -> assertThat(each.sealed()).isTrue());
    }

    @Test
    void releaseThatFailsIsTriedAgain() throws Exception {
        segments.failListing(1_000);
        follow(true);
        store.failAfter(0, false);

        follow(false);
        assertThat(row().owner()).isEqualTo("me");
        time.pass(Duration.ofSeconds(1));

        assertThat(row().owner()).isEmpty();
    }

    @Test
    void partitionIsReleasedOnceAndServedAgainWhenItComesBack() throws Exception {
        follow(true);
        append().firstOffset().join();
        follow(false);
        assertThat(cluster.released).containsExactly(ID);

        follow(true);

        assertServed();
        assertThat(row().epoch()).isEqualTo(2);
    }

    @Test
    void partitionOfADeletedTopicIsNotTaken() throws Exception {
        exists = false;

        follow(true);
        time.pass(Duration.ofMinutes(5));

        assertThat(rows.find(ID.topicId(), 0)).isEmpty();
        assertThat(manager.serving(ID)).isEmpty();
    }

    @Test
    void rowThatWasMadeWhileItsTopicWasDeletedGoesAgain() throws Exception {
        existence.add(Optional.of(true)); // before the row is made
        exists = false;

        follow(true);

        assertThat(rows.find(ID.topicId(), 0)).isEmpty();
        assertThat(manager.serving(ID)).isEmpty();
    }

    @Test
    void rowThatWasMadeGoesAlsoIfItWasNotKnownThenWhetherItsTopicExists() throws Exception {
        existence.add(Optional.of(true));
        existence.add(Optional.empty());
        exists = false;

        follow(true);
        time.pass(Duration.ofSeconds(1));

        assertThat(rows.find(ID.topicId(), 0)).isEmpty();
        assertThat(manager.serving(ID)).isEmpty();
    }

    @Test
    void partitionThatWasUsedIsServedWhateverIsHeardOfItsTopic() throws Exception {
        follow(true);
        append();
        time.run();
        follow(false);
        exists = false;

        follow(true);

        assertServed();
    }
}
