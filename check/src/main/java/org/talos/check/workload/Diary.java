// SPDX-License-Identifier: Apache-2.0
package org.talos.check.workload;

import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.talos.check.history.Entry;
import org.talos.check.history.Kind;
import org.talos.check.history.Mark;
import org.talos.check.history.Operation;
import org.talos.check.history.Outcome;
import org.talos.check.history.Recorder;
import org.talos.check.history.Span;

/** Records the operations of one process. Confined: its thread. */
final class Diary {
    private static final AtomicInteger NEXT = new AtomicInteger();

    private final Recorder recorder;
    private final int number = NEXT.incrementAndGet();

    Diary(Recorder recorder) {
        this.recorder = recorder;
    }

    /** The number of its process. */
    int number() {
        return number;
    }

    Recorder.Moment now() {
        return recorder.now();
    }

    /** An operation that ends now, by this protocol. */
    Operation done(Kind kind, Outcome outcome, Recorder.Moment start, String means) {
        return done(kind, outcome, recorder.since(start), means);
    }

    /** An operation with that span. */
    Operation done(Kind kind, Outcome outcome, Span span, String means) {
        return Operation.of(number, kind, outcome, span).by(means);
    }

    Span since(Recorder.Moment start) {
        return recorder.since(start);
    }

    void add(Operation operation) {
        recorder.add(operation);
    }

    /** Records an operation that ends as it begins. */
    void mark(Kind kind, String note) {
        add(done(kind, Outcome.OK, now(), "").noting(note));
    }

    /** Sends a put once, and records it. */
    Answer send(Caller caller, Caller.Put put) {
        Recorder.Moment start = now();
        Answer answer = put.send();
        add(done(Kind.SEND, answer.outcome(), start, caller.means())
                .sent(put.identity(), 1)
                .with(answer.entries())
                .noting(answer.note()));
        return answer;
    }

    /** Reads a partition from an offset on, and returns the next offset. */
    long poll(Caller caller, String key, int partition, long from) {
        List<Entry> entries = read(caller, key, partition, from);
        return entries.isEmpty() ? from : entries.get(entries.size() - 1).offset() + 1;
    }

    /** Reads a partition from an offset on, and records it. */
    List<Entry> read(Caller caller, String key, int partition, long from) {
        Recorder.Moment start = now();
        Answer answer = caller.read(partition, from);
        List<Entry> entries = answer.entries();
        long next = entries.isEmpty() ? from : entries.get(entries.size() - 1).offset() + 1;
        add(done(Kind.POLL, answer.outcome(), start, caller.means())
                .with(entries)
                .at(List.of(new Mark(key + partition, from, next)))
                .noting(answer.note()));
        return entries;
    }

    /** Waits up to that time; false if the run is to end. */
    static boolean pause(CountDownLatch end, long millis) {
        try {
            return !end.await(millis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
