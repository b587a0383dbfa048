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
 * The last reads of a run, after all faults: puts to each partition, then reads everything from the start until all
 * acknowledged values were seen or time is up.
 *
 * <p>Confined: one thread.
 */
final class Ending {
    private static final long PAUSE_MILLIS = 200;

    private final Recorder recorder;
    private final String key;
    private final int partitions;
    private final long seconds;
    private final CountDownLatch never = new CountDownLatch(1);
    private long deadline;

    /**
     * @param key what partitions are called by in the history, without their number
     * @param seconds how long each waits for what is missing
     */
    Ending(Recorder recorder, String key, int partitions, long seconds) {
        this.recorder = recorder;
        this.key = key;
        this.partitions = partitions;
        this.seconds = seconds;
    }

    /** Each that puts or reads has the whole time: a machine may need most of it to read millions of values once. */
    private void begin() {
        deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    }

    private boolean late() {
        return System.nanoTime() - deadline > 0 || !Diary.pause(never, PAUSE_MILLIS);
    }

    /** Puts to each partition, repeated until acknowledged. */
    void put(Diary diary, Caller caller, Values values) {
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
        if (!refused.isEmpty()) {
            diary.add(drain(diary, caller, Outcome.INFO, List.of()).noting("no put to " + refused));
        }
    }

    private static Operation drain(Diary diary, Caller caller, Outcome outcome, List<Mark> marks) {
        return diary.done(Kind.DRAIN, outcome, diary.now(), caller.means()).at(marks);
    }

    /** Reads all partitions from their start to their end. */
    void read(Diary diary, Caller caller) {
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
        diary.add(drain(diary, caller, left.isEmpty() ? Outcome.OK : Outcome.INFO, marks)
                .noting(left.isEmpty() ? "" : left.toString()));
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

    /** Fetches as a member until the group has been given everything. */
    void read(Diary diary, Member member, String group) {
        begin();
        Set<String> unseen = new HashSet<>();
        acknowledged().values().forEach(unseen::addAll);
        recorder.operations().stream()
                .filter(each -> each.kind() == Kind.POLL && each.group().equals(group))
                .flatMap(each -> each.entries().stream())
                .forEach(entry -> unseen.remove(entry.value()));
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
        diary.add(diary.done(Kind.DRAIN, unseen.isEmpty() ? Outcome.OK : Outcome.INFO, diary.now(), "rest")
                .inGroup(group)
                .at(marks)
                .noting(unseen.isEmpty() ? "" : unseen.size() + " values did not reach the group"));
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
