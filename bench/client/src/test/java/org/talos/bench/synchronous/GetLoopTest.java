// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.synchronous;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class GetLoopTest {
    private static final int PUTS = 4;
    private static final int SIZE = 100;

    private final Recording recording = new Recording();
    private final List<byte[]> put = new ArrayList<>();
    private final Queue<List<byte[]>> answers = new ArrayDeque<>();
    private boolean closed;
    private PutLoop puts = new PutLoop(each -> {}, new StampedMessage(0, SIZE), recording);

    @BeforeEach
    void fourMessagesWerePut() {
        puts = new PutLoop(
                each -> {
                    put.add(each.clone());
                    if (put.size() == PUTS) {
                        puts.end();
                    }
                },
                new StampedMessage(0, SIZE),
                recording);
        puts.run();
    }

    private void run() {
        SynchronousClient.Getter getter = new SynchronousClient.Getter() {
            @Override
            public int get(Duration within, Consumer<byte[]> messages) throws IOException {
                List<byte[]> answer = answers.poll();
                if (answer == null) {
                    throw new IOException("nothing is left");
                }
                answer.forEach(messages);
                return answer.size();
            }

            @Override
            public void close() {
                closed = true;
            }
        };
        new GetLoop(getter, puts, new StampedMessage(0, SIZE), recording, 0).run();
    }

    @Test
    void messagesAreGotUntilAllThatWerePutAreThere() {
        answers.addAll(List.of(put.subList(0, 1), List.of(), put.subList(1, 3), put.subList(3, 4)));

        recording.measure(true);
        run();

        assertThat(recording.counts(PUTS).received()).isEqualTo(PUTS);
        assertThat(recording.counts(PUTS).failed()).isZero();
        assertThat(recording.gets().getTotalCount()).isEqualTo(PUTS);
        assertThat(closed).isTrue();
    }

    @Test
    void messageThatIsMissingIsAFailure() {
        answers.add(List.of(put.get(0), put.get(2), put.get(3)));

        run();

        assertThat(recording.counts(PUTS).received()).isEqualTo(1);
        assertThat(recording.counts(PUTS).failed()).isEqualTo(1);
        assertThat(closed).isTrue();
    }

    @Test
    void messageThatComesTwiceIsAFailure() {
        answers.add(List.of(put.get(0), put.get(0)));

        run();

        assertThat(recording.counts(PUTS).received()).isEqualTo(1);
        assertThat(recording.counts(PUTS).failed()).isEqualTo(1);
    }

    @Test
    void messageWithAnotherByteOrLengthIsAFailure() {
        byte[] other = put.get(1).clone();
        other[SIZE - 1]++;
        answers.add(List.of(put.get(0), other));

        run();

        assertThat(recording.counts(PUTS).received()).isEqualTo(1);
        assertThat(recording.counts(PUTS).firstFailure())
                .hasValueSatisfying(
                        why -> assertThat(why).contains("partition 0: another message of 100 bytes than number 1"));
    }

    @Test
    void getThatFailsCountsOnceAndIsTheLast() {
        answers.add(put.subList(0, 2));

        run();

        assertThat(recording.counts(PUTS).received()).isEqualTo(2);
        assertThat(recording.counts(PUTS).failed()).isEqualTo(1);
        assertThat(recording.counts(PUTS).firstFailure())
                .hasValueSatisfying(why -> assertThat(why).contains("nothing is left"));
        assertThat(closed).isTrue();
    }
}
