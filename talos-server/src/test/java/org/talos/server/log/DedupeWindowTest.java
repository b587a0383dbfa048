// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.talos.server.log.LogFixture.block;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.talos.server.log.dedupe.PutIdentity;
import org.talos.server.log.dedupe.RememberedPuts;
import org.talos.server.testing.KeptMemory;

class DedupeWindowTest {
    private static final int PUTS = 100;

    private final DedupeWindow window = new DedupeWindow(PUTS, Duration.ofMinutes(10), new DedupeMemory(0));

    private static Put put(String sequenceId, int blocks, int messagesOfLast) {
        List<Block> all = new ArrayList<>();
        for (int i = 1; i < blocks; i++) {
            all.add(block(1, "x"));
        }
        all.add(block(messagesOfLast, "last one"));
        return new Put(sequenceId, Put.Origin.UNIQUE, all);
    }

    private static PutIdentity identity(Put put) {
        return DedupeWindow.identity(put, new int[put.blocks().size()]);
    }

    private void remember(Put put) {
        window.remember(identity(put), 0, 0);
    }

    private boolean isFound(Put put) {
        return window.find(identity(put), put.origin(), 0).isPresent();
    }

    @Test
    void putTakesLittleMemoryHoweverManyBlocksItHasAndHoweverLongItsId() {
        for (int i = 0; i < PUTS; i++) {
            remember(put("s".repeat(1_000) + i, 1_000, 1));
        }

        assertThat(window.size()).isEqualTo(PUTS);
        assertThat(KeptMemory.of(window)).isLessThan(2_000 + PUTS * RememberedPuts.BYTES_OF_PUT);
    }

    @Test
    void putOfSeveralBlocksIsFoundByAllOfThem() {
        remember(put("p#1", 3, 1));

        assertThat(isFound(put("p#1", 3, 1))).isTrue();
        assertThat(isFound(put("p#1", 3, 2))).isFalse();
        assertThat(isFound(put("p#1", 2, 1))).isFalse();
        assertThat(isFound(put("p#2", 3, 1))).isFalse();
    }

    @Test
    void longIdsAreToldApart() {
        String id = "s".repeat(1_000);
        remember(put(id + 1, 1, 1));

        assertThat(isFound(put(id + 1, 1, 1))).isTrue();
        assertThat(isFound(put(id + 2, 1, 1))).isFalse();
    }

    @Test
    void putWithAKeyIsFoundByItAloneAndToldFromAnotherByItsDigest() {
        Put first = put(new Put.Key("k", "digest").sequenceId(), 1, 1);
        remember(first);

        Put other = put(new Put.Key("k", "other").sequenceId(), 1, 2);
        assertThat(isFound(other)).isTrue();
        assertThat(identity(first).hasContentOf(identity(first))).isTrue();
        assertThat(identity(first).hasContentOf(identity(other))).isFalse();
        assertThat(isFound(put(new Put.Key("l", "digest").sequenceId(), 1, 1))).isFalse();
        assertThat(isFound(put("k", 1, 1)))
                .as("a sequence id that reads as the key")
                .isFalse();
    }

    private static void fill(DedupeWindow window, int puts, long nanos) {
        for (int i = 0; i < puts; i++) {
            Put put = put("7c9e6679-7425-40de-944b-e07fc1f90ae7#" + i, 1, 1);
            window.remember(identity(put), 0, nanos);
        }
    }

    @Test
    void putsAreKeptByAgeUntilTheMemoryIsFull() {
        DedupeWindow alone =
                new DedupeWindow(10, Duration.ofSeconds(10), new DedupeMemory(1_000 * RememberedPuts.BYTES_OF_PUT));
        fill(alone, 500, 0);
        assertThat(alone.size()).isEqualTo(500);

        fill(alone, 5_000, 1);
        assertThat(alone.size()).isBetween(10 + 750, 10 + 1_000);
        assertThat(KeptMemory.of(alone)).isLessThan(8_000 + (10 + 1_000) * RememberedPuts.BYTES_OF_PUT);

        alone.sweep(Duration.ofSeconds(11).toNanos());
        assertThat(alone.size()).isZero();
    }

    @Test
    void oneLogThatTakesMuchLeavesRoomForTheOthers() {
        DedupeMemory memory = new DedupeMemory(1_000 * RememberedPuts.BYTES_OF_PUT);
        DedupeWindow hot = new DedupeWindow(10, Duration.ofMinutes(10), memory);
        DedupeWindow other = new DedupeWindow(10, Duration.ofMinutes(10), memory);
        fill(hot, 5_000, 0);

        fill(other, 100, 0);
        fill(hot, 5_000, 0);

        assertThat(other.size()).isEqualTo(100);
        assertThat(hot.size() + other.size()).isLessThanOrEqualTo(2 * 10 + 1_000);
        hot.close();
        fill(hot, 1, 0);
        assertThat(hot.size()).isZero();
        fill(other, 600, 0);
        assertThat(other.size()).as("what is closed holds nothing").isEqualTo(600);
    }

    @Test
    void putWithoutAnIdTakesNoPlace() {
        remember(put("", 1, 1));

        assertThat(window.size()).isZero();
    }
}
