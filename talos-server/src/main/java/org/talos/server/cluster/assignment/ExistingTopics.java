// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.assignment;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.talos.server.cluster.ClusterRows;
import org.talos.server.cluster.ClusterRows.TopicListing;
import org.talos.server.runtime.time.Ticker;

/**
 * The topics that provably exist. Cached topics may be stale, and announcements may be late. So a topic gets its first
 * owners only after its row was seen. It loses them only after its deletion was announced, or after its row was missing
 * in a complete listing. Both must come from a reading that began after the question arose.
 *
 * <p>Confined: the rounds of one leader; but the callback for answers runs on any thread.
 */
public final class ExistingTopics {
    /**
     * The time for which memory lacks an assigned topic before the rows are read: the notice of its deletion was lost.
     */
    static final Duration MISSING = Duration.ofMinutes(5);
    /** The pause before an incomplete reading is repeated. */
    static final Duration RETRY = Duration.ofSeconds(10);

    private final ClusterRows rows;
    private final Ticker ticker;
    private final Runnable answered;
    private final Consumer<String> report;
    private final Map<String, Long> missingSince = new HashMap<>(); // assigned topics that memory lacks
    private final Set<String> unproven = new HashSet<>(); // topics to be asked about
    private final Map<String, Integer> proven = new HashMap<>(); // without owners so far
    private final Map<String, Long> refuted = new HashMap<>(); // since when; memory may still have them
    private final Set<String> gone = new TreeSet<>(); // assigned topics whose row is gone
    private Map<String, Integer> known = Map.of(); // from memory
    private long knownVersion = -1;
    private Set<String> asked = new HashSet<>(); // the topics of the running query
    private @Nullable CompletableFuture<TopicListing> question;
    private final Map<String, Long> postponed = new HashMap<>(); // since when: topics that a reading has left open
    private String failing = "";

    /**
     * Knows no topic yet.
     *
     * @param answered runs when a question has been answered
     * @param report receives rows that cannot be read
     */
    public ExistingTopics(ClusterRows rows, Ticker ticker, Runnable answered, Consumer<String> report) {
        this.rows = rows;
        this.ticker = ticker;
        this.answered = answered;
        this.report = report;
    }

    /** Returns whether there is nothing to do until the memory of the rows changes. */
    public boolean isAtRest() {
        return rows.topicsVersion() == knownVersion
                && question == null
                && unproven.isEmpty()
                && postponed.isEmpty()
                && refuted.keySet().stream().noneMatch(this::isDue)
                && proven.isEmpty()
                && gone.isEmpty()
                && missingSince.isEmpty();
    }

    /**
     * Compares cached topics and announcements with the assigned topics.
     *
     * @param announced number of partitions of topics that were created or have grown
     * @param deleted topics whose deletion was announced, after that of their row
     * @param assigned topics that have owners
     * @return number of partitions of each topic that has too few or no owners
     */
    public Map<String, Integer> wanted(Map<String, Integer> announced, Set<String> deleted, Assigned assigned) {
        answer();
        long version = rows.topicsVersion();
        if (version != knownVersion) {
            known = rows.topics();
            knownVersion = version;
        }
        refuted.keySet().removeIf(topic -> !known.containsKey(topic) && !announced.containsKey(topic));
        for (String topic : deleted) {
            asked.remove(topic); // a row that a running question finds is of the past
            unproven.remove(topic);
            postponed.remove(topic);
            proven.remove(topic);
            missingSince.remove(topic);
        }
        gone.removeIf(topic -> assigned.partitions(topic) == 0);
        Map<String, Integer> wanted = new TreeMap<>();
        known.forEach((topic, number) -> want(topic, number, deleted, assigned, wanted));
        announced.forEach((topic, number) -> want(topic, number, deleted, assigned, wanted));
        lookForMissing(announced, assigned);
        ask();
        return wanted;
    }

    /** The topics that have owners. */
    public interface Assigned {
        /** Returns the number of assigned partitions of the topic, or 0. */
        int partitions(String topicId);

        /** All of them. */
        Set<String> topics();
    }

    private void want(String topic, int number, Set<String> deleted, Assigned assigned, Map<String, Integer> wanted) {
        if (deleted.contains(topic) || gone.contains(topic)) {
            return;
        }
        int partitions = assigned.partitions(topic);
        if (partitions > 0) {
            proven.remove(topic);
            if (!missingSince.containsKey(topic)) {
                unproven.remove(topic);
                postponed.remove(topic);
            }
            if (partitions < number) {
                wanted.merge(topic, number, Math::max);
            }
        } else if (proven.containsKey(topic)) {
            wanted.merge(topic, Math.max(number, proven.getOrDefault(topic, 0)), Math::max);
        } else if (!refuted.containsKey(topic) || isDue(topic)) {
            doubt(topic);
        }
    }

    private void lookForMissing(Map<String, Integer> announced, Assigned assigned) {
        Set<String> topics = assigned.topics();
        missingSince.keySet().removeIf(topic -> known.containsKey(topic) || !topics.contains(topic));
        for (String topic : topics) {
            if (!known.containsKey(topic) && !announced.containsKey(topic) && !gone.contains(topic)) {
                long since = missingSince.computeIfAbsent(topic, each -> ticker.nanos());
                if (ticker.nanos() - since > MISSING.toNanos()) {
                    doubt(topic);
                }
            }
        }
    }

    private void doubt(String topic) {
        if (!asked.contains(topic) && !postponed.containsKey(topic)) {
            unproven.add(topic);
        }
    }

    private void ask() {
        if (question != null) {
            return;
        }
        postponed.forEach((topic, since) -> {
            if (ticker.nanos() - since >= RETRY.toNanos()) {
                unproven.add(topic);
            }
        });
        if (unproven.isEmpty()) {
            return;
        }
        postponed.keySet().removeAll(unproven);
        asked = new HashSet<>(unproven);
        unproven.clear();
        CompletableFuture<TopicListing> answer = rows.readTopics();
        question = answer;
        var unused = answer.whenComplete((found, error) -> answered.run());
    }

    private void answer() {
        CompletableFuture<TopicListing> answer = question;
        if (answer == null || !answer.isDone()) {
            return;
        }
        question = null;
        if (answer.isCompletedExceptionally()) {
            String cause =
                    String.valueOf(answer.handle((nothing, error) -> error).join());
            leaveOpen(asked, "topics cannot be read, " + asked.size() + " stay as they are: " + cause);
        } else {
            take(answer.join());
        }
        asked = new HashSet<>();
    }

    private void take(TopicListing listing) {
        Set<String> open = new HashSet<>();
        for (String topic : asked) {
            boolean assigned = missingSince.containsKey(topic);
            Integer found = listing.partitions().get(topic);
            if (found != null) {
                refuted.remove(topic);
                if (missingSince.remove(topic) == null) {
                    proven.put(topic, found);
                }
            } else if (!listing.lacks(topic)) {
                open.add(topic);
            } else if (assigned) {
                missingSince.remove(topic);
                gone.add(topic);
            } else {
                refuted.put(topic, ticker.nanos());
            }
        }
        if (open.isEmpty()) {
            failing = "";
        } else {
            leaveOpen(
                    open, "topics whose rows cannot be read stay as they are: " + new TreeSet<>(listing.unreadable()));
        }
    }

    private void leaveOpen(Set<String> topics, String reason) {
        topics.forEach(topic -> postponed.put(topic, ticker.nanos()));
        if (!reason.equals(failing)) {
            failing = reason;
            report.accept(reason);
        }
    }

    /** Returns whether the topic's row was missing in a listing without gaps, and it had no owners. */
    public boolean isRefuted(String topic) {
        return refuted.containsKey(topic);
    }

    /** Returns whether to look again for a cached topic that has no row. */
    private boolean isDue(String topic) {
        return ticker.nanos() - refuted.getOrDefault(topic, 0L) > MISSING.toNanos();
    }

    /** The assigned topics whose row is proven to be gone. */
    public Set<String> gone() {
        return Set.copyOf(gone);
    }
}
