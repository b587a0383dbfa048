// SPDX-License-Identifier: Apache-2.0
package org.talos.server.partition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A partition that goes to another server is released in its row in the end, whatever fails. */
@Timeout(60)
class ReleaseTest extends HandoverFixture {
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
    void logWhoseSealThrowsAnErrorIsSealedByAnotherOpeningAndReleased() throws Exception {
        follow(true);
        append().firstOffset().join();
        AtomicBoolean thrown = new AtomicBoolean();
        memory.onAccess(() -> {
            if (!thrown.getAndSet(true)) {
                throw new OutOfMemoryError("direct, on purpose");
            }
        });

        follow(false);

        assertThat(row().owner()).isEmpty();
        assertThat(row().segments())
                .hasSize(1)
                .allSatisfy(each -> assertThat(each.sealed()).isTrue());
        assertThat(cluster.released).containsExactly(ID);
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
    void takeWhoseAnswerWasLostIsReleased() throws Exception {
        store.failAfter(0, true);
        follow(true);
        assertThat(row().owner()).isEqualTo("me");

        follow(false);

        assertThat(row().owner()).isEmpty();
    }

    @Test
    void takeBehindWhichTheTopicCouldNotBeReadIsReleased() throws Exception {
        existence.add(Optional.of(true));
        existence.add(Optional.empty());
        follow(true);
        assertThat(row().owner()).isEqualTo("me");

        follow(false);

        assertThat(row().owner()).isEmpty();
    }

    @Test
    void partitionWhoseLastWriteWasNotAnsweredIsReleased() throws Exception {
        follow(true);
        store.failAfter(0, true);
        var unused = append();

        follow(false);

        assertThat(row().owner()).isEmpty();
    }

    @Test
    void releaseIsTriedAgainThoughATakeBeforeItWasNotCarriedOut() throws Exception {
        follow(true);
        append().firstOffset().join();
        segments.failSeals(1); // so that the log is opened once more, which takes the partition
        store.failAfter(0, false);
        store.beforeWrite(1, () -> store.failAfter(0, false)); // and the release
        follow(false);
        assertThat(row().owner()).isEqualTo("me");

        time.pass(Duration.ofSeconds(1));

        assertThat(row().owner()).isEmpty();
    }

    @Test
    void releaseThatIsTriedAgainLeavesAPartitionThatIsServedAgain() throws Exception {
        store.failAfter(0, false);
        follow(true);
        store.failReads(1);
        follow(false);

        follow(true);
        assertServed();
        time.pass(Duration.ofSeconds(1));

        assertServed();
    }

    @Test
    void partitionForWhichThereIsNoThreadIsSealedAndReleasedOnceThereIs() throws Exception {
        follow(true);
        append().firstOffset().join();
        lackThreads();
        follow(false);
        time.pass(Duration.ofSeconds(1));
        assertThat(row().owner()).isEqualTo("me");
        assertThat(cluster.released).as("it may be opened here again only then").isEmpty();
        closings = Runnable::run;

        time.pass(Duration.ofSeconds(2));

        assertThat(row().owner()).isEmpty();
        assertThat(row().segments())
                .hasSize(1)
                .allSatisfy(each -> assertThat(each.sealed()).isTrue());
        assertThat(cluster.released).containsExactly(ID);
    }

    @Test
    void releaseThatIsTriedAgainWithoutAThreadIsTriedOnceThereIsOne() throws Exception {
        segments.failListing(1_000);
        follow(true);
        store.failAfter(0, false);
        follow(false);
        lackThreads();
        time.pass(Duration.ofSeconds(1));
        assertThat(row().owner()).isEqualTo("me");
        closings = Runnable::run;

        time.pass(Duration.ofSeconds(2));

        assertThat(row().owner()).isEmpty();
    }

    @Test
    void partitionForWhichThereIsNoThreadHoldsUpNoServerThatStops() throws Exception {
        follow(true);
        lackThreads();
        follow(false);

        CompletableFuture<Void> stopped = CompletableFuture.runAsync(manager::close);
        await().until(() -> {
            time.pass(Duration.ofSeconds(1));
            return stopped.isDone();
        });

        assertThat(cluster.released).containsExactly(ID);
        assertThat(row().owner()).isEqualTo("me");
    }
}
