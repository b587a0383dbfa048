// SPDX-License-Identifier: Apache-2.0
package org.talos.check.workload;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.talos.check.history.Entry;
import org.talos.check.history.Kind;
import org.talos.check.history.Recorder;
import org.talos.client.TalosClientException;

/**
 * A client that has many puts under way at once, which are stored in their order. When one has failed it continues as a
 * new producer.
 *
 * <p>Confined: its thread.
 */
final class Pipeline implements Runnable {
    private static final int ONE_IN = 64;
    private static final int MOST_PUTS = 24;
    private static final int MOST_PARTITIONS = 3;
    private static final long PACE_MILLIS = 250;
    /** Longer than any put may take: one that has not ended by then never does. */
    private static final long ENDED_SECONDS = 50;

    private final Diary diary;
    private final Maker maker;
    private final String key;
    private final int partitions;
    private final Values values;
    private final SplittableRandom random;
    private final CountDownLatch end;
    private int made;
    private long puts;

    /** A producer of the SDK. Confined: one process. */
    interface Producer extends AutoCloseable {
        /** The kind of this producer, for the history. */
        String means();

        /** Returns how many values it puts together at most. */
        int mostValues();

        /** Begins to put values, together; completes with a {@link TalosClientException} if it fails. */
        CompletableFuture<?> put(int partition, List<String> values);

        @Override
        void close();
    }

    /** Makes producers, each of a client of its own. */
    interface Maker {
        /** A new one. */
        Producer make() throws TalosClientException;
    }

    /** A put that is under way. Immutable. */
    private record Begun(Recorder.Moment start, String identity, List<Entry> entries, CompletableFuture<?> done) {}

    /** @param key what partitions are called by in the history, without their number */
    Pipeline(
            Diary diary,
            Maker maker,
            String key,
            int partitions,
            Values values,
            SplittableRandom random,
            CountDownLatch end) {
        this.diary = diary;
        this.maker = maker;
        this.key = key;
        this.partitions = partitions;
        this.values = values;
        this.random = random;
        this.end = end;
    }

    @Override
    public void run() {
        while (Diary.pause(end, PACE_MILLIS)) {
            try (Producer producer = maker.make()) {
                made++;
                boolean lasts = true;
                while (lasts && Diary.pause(end, random.nextLong(PACE_MILLIS))) {
                    lasts = round(producer);
                }
            } catch (TalosClientException e) {
                diary.mark(Kind.CRASH, e.code()); // the next round tries again
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    /** Puts many times, and waits for all; false if the producer is to be replaced. */
    private boolean round(Producer producer) throws InterruptedException {
        int first = random.nextInt(partitions);
        int spread = 1 + random.nextInt(MOST_PARTITIONS);
        List<Begun> begun = new ArrayList<>();
        for (int left = 1 + random.nextInt(MOST_PUTS); left > 0; left--) {
            begun.add(begin(producer, (first + random.nextInt(spread)) % partitions));
        }
        boolean stored = true;
        for (Begun each : begun) {
            stored &= ended(producer, each);
        }
        return stored && random.nextInt(ONE_IN) > 0;
    }

    private Begun begin(Producer producer, int partition) {
        List<String> sent = new ArrayList<>();
        for (int left = 1 + random.nextInt(producer.mostValues()); left > 0; left--) {
            sent.add(values.next());
        }
        String identity = String.format(Locale.ROOT, "%s-%d-%d#%d", producer.means(), diary.number(), made, ++puts);
        List<Entry> entries =
                sent.stream().map(value -> Entry.of(key + partition, value)).toList();
        return new Begun(diary.now(), identity, entries, producer.put(partition, sent));
    }

    private boolean ended(Producer producer, Begun put) throws InterruptedException {
        Answer answer = answer(put);
        diary.add(diary.done(Kind.SEND, answer.outcome(), put.start(), producer.means())
                .sent(put.identity(), 1)
                .with(answer.entries())
                .noting(answer.note()));
        return answer.isOk();
    }

    private static Answer answer(Begun put) throws InterruptedException {
        try {
            var unused = put.done().get(ENDED_SECONDS, TimeUnit.SECONDS);
            return Answer.ok(put.entries());
        } catch (ExecutionException e) {
            if (e.getCause() instanceof TalosClientException failure) {
                return SdkCaller.failed(failure, put.entries());
            }
            throw new IllegalStateException("a put failed as none may: " + put.identity(), e);
        } catch (TimeoutException e) {
            throw new IllegalStateException("a put has not ended: " + put.identity(), e);
        }
    }
}
