// SPDX-License-Identifier: Apache-2.0
package org.talos.client.simulation;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.talos.client.consumer.FetchedMessage;

/**
 * Compares the messages that members processed and committed, and the acknowledgements of producers, with the servers:
 * the promises of a run.
 *
 * <p>Confined: as {@link Turns}.
 */
final class Observations implements ModelServers.Commits {
    private final Turns turns;
    private final boolean startsAtEnd;
    /**
     * By partition: what a member may begin with at most, one past what was processed, or where the group was reset to.
     */
    private final long[] reached;

    private final List<ModelPartition> partitions = new ArrayList<>();
    private final Map<String, Integer> acknowledged = new HashMap<>();
    private final Set<String> notStored = new HashSet<>();

    Observations(Turns turns, int partitions, boolean startsAtEnd) {
        this.turns = turns;
        this.startsAtEnd = startsAtEnd;
        reached = new long[partitions];
    }

    void servers(ModelServers servers) {
        partitions.addAll(servers.partitions());
    }

    /** A member begins to process messages. */
    void processing(String member, int partition, List<FetchedMessage> messages, long expected) {
        long from = messages.get(0).offset();
        turns.note(member + " processes " + partition + ": " + from + " and " + (messages.size() - 1) + " more");
        if (from > reached[partition]) {
            throw turns.violated(member + " skips in " + partition + ": begins with " + from + " (expected: "
                    + reached[partition] + " at most)");
        }
        if (expected >= 0 && from != expected) {
            throw turns.violated(
                    member + " continues with " + from + " in " + partition + " (expected: " + expected + ")");
        }
        for (int i = 0; i < messages.size(); i++) {
            FetchedMessage each = messages.get(i);
            String stored = partitions.get(partition).messages().get((int) each.offset());
            if (each.offset() != from + i || !stored.equals(new String(each.body(), StandardCharsets.UTF_8))) {
                throw turns.violated(member + " gets " + each.text() + " at " + each.offset() + " in " + partition
                        + " (expected: " + (from + i) + ", there is " + stored + ")");
            }
        }
    }

    /** Messages before an offset have been processed. */
    void processed(int partition, long before) {
        reached[partition] = Math.max(reached[partition], before);
    }

    /** An operator has reset the group while nobody read. */
    void reset(int partition, long next) {
        turns.note("reset " + partition + " to " + next);
        reached[partition] = next;
    }

    @Override
    public void stored(int partition, String member, Optional<Long> before, long next) {
        turns.note(member + " commits " + partition + ": " + before.orElse(-1L) + " to " + next);
        if (startsAtEnd && before.isEmpty() && next <= partitions.get(partition).end()) {
            reached[partition] = Math.max(reached[partition], next);
        }
        if (next > reached[partition]) {
            throw turns.violated(
                    member + " commits " + next + " in " + partition + ", processed is " + reached[partition]);
        }
        if (before.isPresent() && next < before.get()) {
            throw turns.violated(member + " commits " + next + " in " + partition + " behind " + before.get());
        }
    }

    /** A message was acknowledged to its producer. */
    void acknowledged(String message, int partition) {
        acknowledged.put(message, partition);
    }

    /** A message was reported to its producer as certainly not stored. */
    void notStored(String message) {
        notStored.add(message);
    }

    /** Checks the acknowledgements of producers. */
    void checkPuts() {
        Set<String> stored = new HashSet<>();
        for (int partition = 0; partition < partitions.size(); partition++) {
            Map<String, Integer> last = new HashMap<>();
            for (String message : partitions.get(partition).messages()) {
                if (!stored.add(message)) {
                    throw turns.violated(message + " is stored twice");
                }
                if (notStored.contains(message)) {
                    throw turns.violated(message + " is stored, but was reported as not stored");
                }
                if (acknowledged.containsKey(message)) {
                    checkOrder(last, message);
                }
            }
        }
        acknowledged.forEach((message, partition) -> {
            if (!partitions.get(partition).messages().contains(message)) {
                throw turns.violated(message + " is not in " + partition + ", but was acknowledged");
            }
        });
    }

    private void checkOrder(Map<String, Integer> last, String message) {
        String[] parts = message.split("-");
        int number = Integer.parseInt(parts[1]);
        Integer before = last.put(parts[0], number);
        if (before != null && before > number) {
            throw turns.violated(message + " is behind " + parts[0] + "-" + before);
        }
    }
}
