// SPDX-License-Identifier: Apache-2.0
package org.talos.check.workload;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import org.talos.check.history.Kind;
import org.talos.check.history.Outcome;

/**
 * A client that puts to and reads from all partitions, or only puts; now and then it seeks to other offsets or is
 * replaced by a new client.
 *
 * <p>Confined: its thread.
 */
final class Worker implements Runnable {
    private static final int ONE_IN = 64;
    private static final int MOST_VALUES = 3;
    private static final int FURTHEST_BACK = 100;
    private static final int REPEAT_UNKNOWN_PERCENT = 75;
    private static final int REPEAT_KNOWN_PERCENT = 4;
    private static final int PERCENT = 100;
    private static final long PAUSE_MILLIS = 60;

    private final Habit habit;
    private final Diary diary;
    private final Supplier<Caller> clients;
    private final String key;
    private final Values values;
    private final SplittableRandom random;
    private final CountDownLatch end;
    private final long[] positions;
    private Caller client;

    /**
     * How often a worker puts and how long it pauses. Immutable.
     *
     * @param sendPercent share of puts, the rest are reads
     * @param paceMillis longest pause between two operations
     */
    record Habit(int sendPercent, long paceMillis) {
        /** Puts and reads that wait for messages. */
        static final Habit BOTH = new Habit(45, 60);

        /** Puts only. */
        static final Habit WRITES = new Habit(100, 60);
    }

    /**
     * The partitions that a worker puts to and reads. Immutable.
     *
     * @param key what they are called by in the history, without their number
     */
    record Partitions(String key, int count) {}

    /** @param clients creates a client, at the start and for each replacement */
    Worker(
            Habit habit,
            Diary diary,
            Supplier<Caller> clients,
            Partitions partitions,
            Values values,
            SplittableRandom random,
            CountDownLatch end) {
        this.habit = habit;
        this.diary = diary;
        this.clients = clients;
        key = partitions.key;
        this.values = values;
        this.random = random;
        this.end = end;
        positions = new long[partitions.count];
        client = clients.get();
    }

    @Override
    public void run() {
        while (Diary.pause(end, random.nextLong(habit.paceMillis()))) {
            int choice = random.nextInt(ONE_IN);
            if (choice == 0) {
                seek(Kind.ASSIGN);
            } else if (choice == 1) {
                client.close();
                client = clients.get();
                seek(Kind.CRASH);
            } else if (random.nextInt(PERCENT) < habit.sendPercent()) {
                send();
            } else {
                int partition = random.nextInt(positions.length);
                positions[partition] = diary.poll(client, key, partition, positions[partition]);
            }
        }
        client.close();
    }

    /** Seeks back a little in each partition; logs get long, so only the last reads begin at the start. */
    private void seek(Kind kind) {
        for (int i = 0; i < positions.length; i++) {
            positions[i] = Math.max(0, positions[i] - random.nextInt(FURTHEST_BACK));
        }
        diary.mark(kind, "");
    }

    private void send() {
        List<String> sent = new ArrayList<>();
        for (int left = 1 + random.nextInt(MOST_VALUES); left > 0; left--) {
            sent.add(values.next());
        }
        Caller.Put put = client.prepare(random.nextInt(positions.length), sent);
        Answer answer = diary.send(client, put);
        while (answer.outcome() == Outcome.INFO
                && random.nextInt(PERCENT) < REPEAT_UNKNOWN_PERCENT
                && Diary.pause(end, PAUSE_MILLIS)) {
            answer = diary.send(client, put);
        }
        if (answer.isOk() && random.nextInt(PERCENT) < REPEAT_KNOWN_PERCENT) {
            var unused = diary.send(client, put);
        }
    }
}
