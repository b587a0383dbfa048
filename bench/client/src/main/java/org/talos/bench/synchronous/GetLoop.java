// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.synchronous;

import java.time.Duration;
import java.util.Locale;

/** One thread's gets, one after another, until it has all that its partition's putter has put. Confined: its thread. */
final class GetLoop {
    private static final Duration WITHIN = Duration.ofSeconds(2);

    private final SynchronousClient.Getter getter;
    private final PutLoop puts;
    private final StampedMessage expected;
    private final Recording recording;
    private final int partition;
    private long next;

    GetLoop(
            SynchronousClient.Getter getter,
            PutLoop puts,
            StampedMessage expected,
            Recording recording,
            int partition) {
        this.getter = getter;
        this.puts = puts;
        this.expected = expected;
        this.recording = recording;
        this.partition = partition;
    }

    void run() {
        try {
            while (!puts.isOver() || next < puts.acknowledged()) {
                var unused = getter.get(WITHIN, this::take);
            }
        } catch (Exception e) { // whatever a library throws
            recording.failed("get: " + e);
        } finally {
            getter.close();
        }
    }

    private void take(byte[] message) {
        long nanos = System.nanoTime();
        if (!expected.isNumber(next, message)) {
            throw new IllegalStateException(String.format(
                    Locale.ROOT,
                    "partition %d: another message of %d bytes than number %d",
                    partition,
                    message.length,
                    next));
        }
        next++;
        recording.got(nanos - StampedMessage.nanos(message));
    }
}
