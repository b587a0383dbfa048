// SPDX-License-Identifier: Apache-2.0
package org.talos.server.sdk;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.talos.server.runtime.time.SystemTime;
import org.talos.server.runtime.time.Ticker;

/** Messages that the members of a group have processed, in that order. Thread-safe. */
final class GroupReadings {
    private final Ticker ticker = SystemTime.ticker();
    private final List<Reading> readings = new ArrayList<>();

    /** Messages of a partition that a member has processed, one after another. Immutable. */
    private record Reading(String member, int partition, List<Long> offsets, long atNanos) {}

    /**
     * A time in which nobody processed anything of a partition. Immutable.
     *
     * @param next who has processed the next message
     */
    record Rest(int partition, String next, Duration length) {}

    synchronized void processed(String member, int partition, List<Long> offsets) {
        readings.add(new Reading(member, partition, List.copyOf(offsets), ticker.nanos()));
    }

    /** Now, to be given to {@link #rests}. */
    long now() {
        return ticker.nanos();
    }

    /** Returns how far the group is in a partition: the next offset that has not been processed. */
    synchronized long end(int partition) {
        return offsets(partition).max().orElse(-1) + 1;
    }

    private LongStream offsets(int partition) {
        return readings.stream()
                .filter(each -> each.partition == partition)
                .flatMapToLong(each -> each.offsets.stream().mapToLong(Long::longValue));
    }

    /** Returns the members that have processed anything. */
    synchronized Set<String> members() {
        return readings.stream().map(Reading::member).collect(Collectors.toUnmodifiableSet());
    }

    /** The partitions whose last message a member has processed. */
    synchronized Set<Integer> partitionsOf(String member) {
        Map<Integer, String> last = new HashMap<>();
        readings.forEach(each -> last.put(each.partition, each.member));
        last.values().removeIf(each -> !each.equals(member));
        return Set.copyOf(last.keySet());
    }

    /**
     * Returns how long partitions rested from a member's last message of each.
     *
     * @param notBefore as {@link #now} answered it: a rest counts from then if the last message was before
     * @return without those that nobody has read since
     */
    synchronized List<Rest> rests(String left, Set<Integer> partitions, long notBefore) {
        Map<Integer, Long> since = new HashMap<>();
        Map<Integer, Rest> rests = new TreeMap<>();
        for (Reading each : readings) {
            if (each.member.equals(left)) {
                since.put(each.partition, Math.max(each.atNanos, notBefore));
                rests.remove(each.partition);
            } else if (partitions.contains(each.partition) && since.containsKey(each.partition)) {
                Duration length = Duration.ofNanos(Math.max(0, each.atNanos - since.get(each.partition)));
                rests.putIfAbsent(each.partition, new Rest(each.partition, each.member, length));
            }
        }
        return List.copyOf(rests.values());
    }

    /**
     * Checks that each partition was read in order and whole.
     *
     * @param ends the number of messages of each partition
     * @param killed the members after whom messages may come again, from the last commit on
     */
    synchronized void assertWhole(Map<Integer, Long> ends, Set<String> killed) {
        ends.forEach((partition, end) -> {
            long next = 0;
            String before = "";
            for (Reading each : readings) {
                if (each.partition != partition) {
                    continue;
                }
                for (long offset : each.offsets) {
                    boolean repeats = offset < next && killed.contains(before);
                    assertThat(repeats || offset == next)
                            .as(
                                    "partition %d: %s after %s read %d, not %d",
                                    partition, each.member, before, offset, next)
                            .isTrue();
                    next = offset + 1;
                    before = each.member;
                }
            }
            assertThat(next).as("end of partition %d", partition).isEqualTo(end);
        });
    }
}
