// SPDX-License-Identifier: Apache-2.0
package org.talos.check.verdict;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.talos.check.history.Entry;
import org.talos.check.history.Kind;
import org.talos.check.history.Mark;
import org.talos.check.history.Operation;

/**
 * Checks that of a deleted topic nothing is left: no answer, no message in the topic that has its name next, no data,
 * no complaint in a log. Immutable.
 */
final class DeletionChecks {
    /** Rows in memory are read again at intervals; the reading may fail once, and then takes its time. */
    private static final int INTERVALS = 3;

    /**
     * The messages that a server may log when its storage does not answer, for any topic. The last one is what the
     * checker's own journals say.
     */
    private static final List<String> OUTAGES = List.of(
            "ConnectException",
            "SocketTimeoutException",
            "NoRouteToHostException",
            "EOFException",
            "Connection reset",
            "Broken pipe",
            "ClosedChannelException",
            "TimeoutException",
            "All datanodes",
            "No ack received", // HDFS' client, also after its server was held still
            "could only be written to",
            "Unable to create new block",
            "SafeModeException",
            "RetriableException",
            "SocketException",
            "org.apache.hadoop.hbase.", // a region or its server is missing
            "the check lets writes fail");
    /** HDFS' client says for itself, with a stack trace, that a file was taken from it, or its blocks are gone. */
    private static final List<String> OF_HDFS_CLIENT =
            List.of("WARN  DataStreamer ", "WARN  BlockReaderFactory ", "WARN  DFSClient ", "WARN  DFSInputStream ");

    /** Errors of a server that was cut off or paused while a topic was deleted, and learns of it this late. */
    private static final List<String> GONE = List.of("File does not exist", "is missing");

    private static final long HEARD_LATE_MILLIS = 10_000;

    private DeletionChecks() {}

    /** Finds answers from a topic after a client was notified of its deletion. */
    static List<Anomaly> served(Facts facts) {
        FaultTimes faults = new FaultTimes(facts);
        List<Anomaly> found = new ArrayList<>();
        each(facts, (deletion, answer) -> {
            long boundNanos =
                    TimeUnit.MILLISECONDS.toNanos(deletion.marks().get(0).to());
            long calm = faults.calmNanos(deletion.span().end(), answer.span().start());
            if (boundNanos == 0 || calm > INTERVALS * boundNanos) {
                found.add(new Anomaly(
                        String.format(
                                Locale.ROOT,
                                "process %d had an answer from %s %d ms after that was deleted",
                                answer.process(),
                                answer.entries().get(0).key(),
                                TimeUnit.NANOSECONDS.toMillis(age(deletion, answer))),
                        List.of(deletion, answer)));
            }
        });
        return found;
    }

    /** The latest such answer, which another server may give that has not learned of the deletion. */
    static long latestNanos(Facts facts) {
        long[] latest = {0};
        each(facts, (deletion, answer) -> latest[0] = Math.max(latest[0], age(deletion, answer)));
        return latest[0];
    }

    private static long age(Operation deletion, Operation answer) {
        return answer.span().start() - deletion.span().end();
    }

    private static void each(Facts facts, BiConsumer<Operation, Operation> found) {
        Map<String, Operation> deletions = new HashMap<>();
        for (Operation each : facts.operations(Kind.DELETE)) {
            if (each.ok()) {
                each.marks().forEach(mark -> deletions.putIfAbsent(mark.key(), each));
            }
        }
        for (Operation each : facts.operations()) {
            boolean answer = each.kind() == Kind.POLL || (each.kind() == Kind.SEND && each.ok());
            if (answer && !each.entries().isEmpty()) {
                @Nullable
                Operation deletion = deletions.get(each.entries().get(0).key());
                if (deletion != null && deletion.before(each)) {
                    found.accept(deletion, each);
                }
            }
        }
    }

    /** Finds topics that did not begin empty and at offset 0. */
    static List<Anomaly> recreated(Facts facts) {
        Set<String> created = new HashSet<>();
        facts.operations(Kind.CREATE).forEach(each -> each.marks().forEach(mark -> created.add(mark.key())));
        Map<String, long[]> begun = begun(facts, created);
        List<Anomaly> found = new ArrayList<>();
        for (Operation each : facts.operations()) {
            if (each.kind() == Kind.OFFSETS && each.ok()) {
                each.marks().stream()
                        .filter(mark -> created.contains(mark.key()))
                        .filter(mark -> mark.from() != 0 || mark.to() > put(begun, mark.key(), each))
                        .forEach(mark -> found.add(new Anomaly(
                                String.format(
                                        Locale.ROOT,
                                        "%s is reported to have %d to %d, after %d values at most were put to it since it was made",
                                        mark.key(),
                                        mark.from(),
                                        mark.to(),
                                        put(begun, mark.key(), each)),
                                List.of(each))));
            } else if (each.kind() == Kind.POLL || (each.kind() == Kind.SEND && each.ok())) {
                each.entries().stream()
                        .filter(entry -> created.contains(entry.key()))
                        .filter(entry -> entry.offset() >= put(begun, entry.key(), each))
                        .findFirst()
                        .ifPresent(entry -> found.add(tooFar(entry, each)));
            }
        }
        return found;
    }

    private static Anomaly tooFar(Entry entry, Operation answer) {
        return new Anomaly(
                String.format(
                        Locale.ROOT,
                        "%s has %s at %d, and fewer values were put to it since it was made",
                        entry.key(),
                        entry.value(),
                        entry.offset()),
                List.of(answer));
    }

    /** Returns, by partition, when each of its values was sent first, in order. */
    private static Map<String, long[]> begun(Facts facts, Set<String> keys) {
        Map<String, List<Long>> all = new TreeMap<>();
        for (Sent each : facts.sent()) {
            if (keys.contains(each.key())) {
                all.computeIfAbsent(each.key(), key -> new ArrayList<>()).add(each.begun());
            }
        }
        Map<String, long[]> sorted = new HashMap<>();
        all.forEach((key, times) -> sorted.put(
                key, times.stream().mapToLong(Long::longValue).sorted().toArray()));
        return sorted;
    }

    /** Returns how many values may have been put to the partition when the operation ended. */
    private static long put(Map<String, long[]> begun, String key, Operation by) {
        long[] times = begun.getOrDefault(key, new long[0]);
        return Arrays.stream(times).takeWhile(time -> time <= by.span().end()).count();
    }

    /** Finds data that is still there in the end. */
    static List<Anomaly> left(Facts facts) {
        return facts.operations(Kind.LEFT).stream()
                .filter(each -> !each.ok())
                .map(each -> new Anomaly(
                        String.format(
                                Locale.ROOT,
                                "%d deleted topics have left something: %s",
                                each.marks().size(),
                                each.note()),
                        List.of(each)))
                .toList();
    }

    /**
     * Finds stack traces about topics that were deleted by then, and that neither an outage of the storage explains nor
     * that the server was away when it happened.
     */
    static List<Anomaly> logged(Facts facts) {
        Map<String, Long> deleted = new HashMap<>();
        for (Operation each : facts.operations(Kind.DELETE)) {
            each.marks()
                    .forEach(mark -> deleted.merge(topicId(mark), each.span().wallStart(), Math::min));
        }
        List<Anomaly> found = new ArrayList<>();
        for (Operation each : facts.operations(Kind.LOGGED)) {
            long logged = each.span().wallStart();
            long since = each.marks().stream()
                    .mapToLong(mark -> logged - deleted.getOrDefault(mark.key(), Long.MAX_VALUE))
                    .min()
                    .orElse(-1);
            boolean explained = OUTAGES.stream().anyMatch(each.note()::contains)
                    || OF_HDFS_CLIENT.stream().anyMatch(each.note()::contains)
                    || (since >= HEARD_LATE_MILLIS && GONE.stream().anyMatch(each.note()::contains));
            if (since >= 0 && !explained) {
                found.add(new Anomaly("a server has logged a stack trace about a deleted topic", List.of(each)));
            }
        }
        return found;
    }

    private static String topicId(Mark mark) {
        return mark.key().substring(mark.key().lastIndexOf('#') + 1, mark.key().lastIndexOf('/'));
    }
}
