// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.synchronous;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class PutLoopTest {
    private static final long SECOND = Duration.ofSeconds(1).toNanos();

    private final Recording recording = new Recording();
    private final StampedMessage message = new StampedMessage(0, 100);
    private final List<Long> numbers = new ArrayList<>();

    /** A putter that ends its loop with a put. */
    private PutLoop loop(int puts) {
        PutLoop[] loop = new PutLoop[1];
        loop[0] = new PutLoop(
                each -> {
                    numbers.add(ByteBuffer.wrap(each).getLong());
                    if (numbers.size() == puts) {
                        loop[0].end();
                    }
                },
                message,
                recording);
        return loop[0];
    }

    @Test
    void messagesArePutOneAfterAnotherUntilTheEnd() {
        PutLoop loop = loop(3);

        recording.measure(true);
        loop.run();

        assertThat(numbers).containsExactly(0L, 1L, 2L);
        assertThat(loop.isOver()).isTrue();
        assertThat(loop.acknowledged()).isEqualTo(3);
        assertThat(recording.puts().getTotalCount()).isEqualTo(3);
        assertThat(recording.counts(3)).isEqualTo(new LoadCounts(3, 0, 3, 0, Optional.empty()));
    }

    @Test
    void putThatFailsCountsOnceAndIsTheLast() {
        PutLoop loop = new PutLoop(
                each -> {
                    throw new IOException("the broker is gone");
                },
                message,
                recording);

        recording.measure(true);
        loop.run();

        assertThat(loop.isOver()).isTrue();
        assertThat(loop.acknowledged()).isZero();
        assertThat(recording.puts().getTotalCount()).isZero();
        assertThat(recording.counts(0).failed()).isEqualTo(1);
        assertThat(recording.counts(0).firstFailure())
                .hasValueSatisfying(why -> assertThat(why).contains("the broker is gone"));
    }

    @Test
    void latencyCountsFromWhenAPutWasDue() {
        PutLoop loop = loop(2);
        loop.pace(new PutLoop.Pace(System.nanoTime() - 10 * SECOND, SECOND));

        recording.measure(true);
        loop.run();

        assertThat(recording.puts().getMinValue()).isGreaterThanOrEqualTo((long) (8.9 * SECOND));
        assertThat(recording.puts().getMaxValue()).isGreaterThanOrEqualTo((long) (9.9 * SECOND));
    }

    @Test
    void putIsNotMadeBeforeItIsDue() {
        PutLoop loop = loop(1);
        long due = System.nanoTime() + SECOND / 5;

        loop.pace(new PutLoop.Pace(due, SECOND));
        loop.run();

        assertThat(System.nanoTime() - due).isGreaterThanOrEqualTo(0);
        assertThat(numbers).hasSize(1);
    }

    @Test
    void onlyWhatIsAcknowledgedInTheMeasuredTimeIsRecorded() {
        loop(3).run();

        assertThat(recording.puts().getTotalCount()).isZero();
        assertThat(recording.counts(3).acknowledged()).isEqualTo(3);
    }
}
