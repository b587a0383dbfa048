// SPDX-License-Identifier: Apache-2.0
package org.talos.server.partition;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.server.metadata.MetadataException;

/** Partitions come from other servers and go to them. */
@Timeout(60)
class HandoverTest extends HandoverFixture {
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

        cluster.ours = false; // as for a server that leaves
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
