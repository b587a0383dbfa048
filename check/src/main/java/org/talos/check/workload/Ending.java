// SPDX-License-Identifier: Apache-2.0
package org.talos.check.workload;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.talos.check.history.Entry;
import org.talos.check.history.Kind;
import org.talos.check.history.Mark;
import org.talos.check.history.Operation;
import org.talos.check.history.Outcome;
import org.talos.check.history.Recorder;

/**
 * The last reads of a topic: puts to each partition, then reads everything from the start until all acknowledged values
 * were seen or time is up.
 *
 * <p>Confined: one thread.
 */
final class Ending {
    private static final long PAUSE_MILLIS = 200;
    private static final long UNLIMITED_SECONDS = TimeUnit.DAYS.toSeconds(365);

    private final Recorder recorder;
    private final String key;
    private final int partitions;
    private final long seconds;
    private final CountDownLatch end;
    private long deadline;

    /**
     * The last reads of a run, after all faults.
     *
     * @param key what partitions are called by in the history, without their number
     * @param seconds how long each waits for what is missing
     */
    Ending(Recorder recorder, String key, int partitions, long seconds) {
        this(recorder, key, partitions, seconds, new CountDownLatch(1));
    }

    private Ending(Recorder recorder, String key, int partitions, long seconds, CountDownLatch end) {
        this.recorder = recorder;
        this.key = key;
        this.partitions = partitions;
        this.seconds = seconds;
        this.end = end;
    }

    /**
     * The last reads of a topic in the middle of a run, where faults may last: they take as long as they take, and have
     * no result if the run ends first.
     */
    static Ending during(Recorder recorder, String key, int partitions, CountDownLatch end) {
        return new Ending(recorder, key, partitions, UNLIMITED_SECONDS, end);
    }

    /** Each that puts or reads has the whole time: a machine may need most of it to read millions of values once. */
    private void begin() {
        deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    }

    private boolean late() {
        return System.nanoTime() - deadline > 0 || !Diary.pause(end, PAUSE_MILLIS);
    }

    /** Puts to each partition, repeated until acknowledged; returns whether all were. */
    boolean put(Diary diary, Caller caller, Values values) {
        begin();
        List<String> refused = new ArrayList<>();
        for (int partition = 0; partition < partitions; partition++) {
            Caller.Put put = caller.prepare(partition, List.of(values.next()));
            Answer answer = diary.send(caller, put);
            while (!answer.isOk() && !late()) {
                answer = diary.send(caller, put);
            }
            if (!answer.isOk()) {
                refused.add(key + partition + ": " + answer.note());
            }
        }
        return refused.isEmpty() || isOver(diary, drain(diary, caller.means(), "no put to " + refused));
    }

    /** Records how it ended, unless the run has ended first; returns whether nothing is missing. */
    private boolean isOver(Diary diary, Operation drain) {
        if (drain.ok() || end.getCount() > 0) {
            diary.add(drain);
        }
        return drain.ok();
    }

    private static Operation drain(Diary diary, String means, String missing) {
        return diary.done(Kind.DRAIN, missing.isEmpty() ? Outcome.OK : Outcome.INFO, diary.now(), means)
                .noting(missing);
    }

    /** Reads all partitions from their start to their end; returns whether all acknowledged values were there. */
    boolean read(Diary diary, Caller caller) {
        begin();
        Map<String, Set<String>> missing = acknowledged();
        List<Mark> marks = new ArrayList<>();
        List<String> left = new ArrayList<>();
        for (int partition = 0; partition < partitions; partition++) {
            Set<String> unseen = missing.getOrDefault(key + partition, new HashSet<>());
            long next = read(diary, caller, partition, unseen);
            marks.add(new Mark(key + partition, 0, next));
            if (!unseen.isEmpty()) {
                left.add(key + partition + " up to " + next + " without " + unseen.size() + " values");
            }
        }
        return isOver(
                diary,
                drain(diary, caller.means(), left.isEmpty() ? "" : left.toString())
                        .at(marks));
    }

    private long read(Diary diary, Caller caller, int partition, Set<String> unseen) {
        long next = 0;
        while (true) {
            List<Entry> entries = diary.read(caller, key, partition, next);
            if (entries.isEmpty() && (unseen.isEmpty() || late())) {
                return next; // the end, or one that nobody can wait for
            }
            for (Entry entry : entries) {
                unseen.remove(entry.value());
                next = entry.offset() + 1;
            }
        }
    }

    /** Fetches as a member until the group has been given all that is due to it; returns whether it has. */
    boolean read(Diary diary, Member member, Member.Group group) {
        begin();
        Set<String> unseen = due(group);
        while (!unseen.isEmpty()) {
            List<Entry> entries = member.fetch();
            entries.forEach(entry -> unseen.remove(entry.value()));
            if (entries.isEmpty() && late()) {
                break;
            }
        }
        List<Mark> marks = new ArrayList<>();
        for (int partition = 0; partition < partitions; partition++) {
            marks.add(Mark.at(key + partition, 0));
        }
        String missing = unseen.isEmpty() ? "" : unseen.size() + " values did not reach the group";
        return isOver(diary, drain(diary, "rest", missing).inGroup(group.name()).at(marks));
    }

    /**
     * The values that were acknowledged, or read by anybody, and were not given to the group. A group at latest has
     * none that was put before its first fetch was answered.
     */
    private Set<String> due(Member.Group group) {
        List<Operation> operations = recorder.operations();
        long begun = group.begin().equals(Member.Group.LATEST) ? firstFetch(operations, group) : Long.MIN_VALUE;
        Set<String> due = new HashSet<>();
        Set<String> notDue = new HashSet<>();
        for (Operation each : operations) {
            boolean send = each.kind() == Kind.SEND;
            if (!send && each.kind() != Kind.POLL) {
                continue;
            }
            boolean excluded =
                    send ? each.span().start() <= begun : each.group().equals(group.name());
            boolean there = !send || each.ok();
            each.entries().stream().filter(entry -> entry.key().startsWith(key)).forEach(entry -> {
                if (excluded) {
                    notDue.add(entry.value());
                } else if (there) {
                    due.add(entry.value());
                }
            });
        }
        due.removeAll(notDue);
        return due;
    }

    /** Returns when the group was answered first; never, if it was not. */
    private static long firstFetch(List<Operation> operations, Member.Group group) {
        return operations.stream()
                .filter(each ->
                        each.kind() == Kind.POLL && each.ok() && each.group().equals(group.name()))
                .mapToLong(each -> each.span().end())
                .min()
                .orElse(Long.MAX_VALUE);
    }

    private Map<String, Set<String>> acknowledged() {
        Map<String, Set<String>> values = new HashMap<>();
        for (Operation each : recorder.operations()) {
            if (each.kind() == Kind.SEND && each.ok()) {
                each.entries().stream()
                        .filter(entry -> entry.key().startsWith(key))
                        .forEach(entry -> values.computeIfAbsent(entry.key(), of -> new HashSet<>())
                                .add(entry.value()));
            }
        }
        return values;
    }
}
