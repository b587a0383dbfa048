// SPDX-License-Identifier: Apache-2.0
package org.talos.client.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.talos.common.auth.RequestSignature;

class RequestBodyTest {
    private static final int PIECE_BYTES = 64 << 10;

    private final byte[] bytes = random(3 * PIECE_BYTES + 10);
    private final RequestBody body = new RequestBody(List.of(
            ByteBuffer.wrap(bytes, 0, 7),
            ByteBuffer.wrap(bytes, 7, 2 * PIECE_BYTES).slice(),
            ByteBuffer.wrap(bytes, 7 + 2 * PIECE_BYTES, PIECE_BYTES + 3)));

    private static byte[] random(int length) {
        byte[] bytes = new byte[length];
        new Random(1).nextBytes(bytes);
        return bytes;
    }

    /** What has come. Confined: the test. */
    private static final class Received implements Flow.Subscriber<ByteBuffer> {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private final long first;
        private final long more;
        private Flow.@Nullable Subscription subscription;
        private int pieces;
        private int ends;
        private @Nullable Throwable failure;

        /**
         * @param first how many pieces are asked for at first
         * @param more how many are asked for while one is given
         */
        Received(long first, long more) {
            this.first = first;
            this.more = more;
        }

        void ask(long count) {
            if (subscription != null && count != 0) {
                subscription.request(count);
            }
        }

        @Override
        public void onSubscribe(Flow.Subscription to) {
            subscription = to;
            ask(first);
        }

        @Override
        public void onNext(ByteBuffer piece) {
            assertThat(piece.remaining()).isBetween(1, PIECE_BYTES);
            pieces++;
            while (piece.hasRemaining()) {
                bytes.write(piece.get());
            }
            ask(more);
        }

        @Override
        public void onError(Throwable thrown) {
            failure = thrown;
        }

        @Override
        public void onComplete() {
            ends++;
        }
    }

    private Received received(long first, long more) {
        Received received = new Received(first, more);
        body.subscribe(received);
        return received;
    }

    @Test
    void bytesComeWholeAndInOrderHoweverTheyAreAskedFor() {
        for (long[] asked : new long[][] {{1, 1}, {2, 3}, {Long.MAX_VALUE, 0}, {Long.MAX_VALUE, Long.MAX_VALUE}}) {
            Received received = received(asked[0], asked[1]);

            assertThat(received.bytes.toByteArray()).isEqualTo(bytes);
            assertThat(received.ends).isEqualTo(1);
        }
        assertThat(body.contentLength()).isEqualTo(bytes.length);
        assertThat(body.md5Hex()).isEqualTo(RequestSignature.md5Hex(bytes));
    }

    @Test
    void noMoreComesThanIsAskedForAndTheEndWithTheLastPiece() {
        Received received = received(2, 0);
        assertThat(received.pieces).isEqualTo(2);

        received.ask(2);
        assertThat(received.pieces).isEqualTo(4);
        assertThat(received.ends).isZero();

        received.ask(1);
        assertThat(received.bytes.toByteArray()).isEqualTo(bytes);
        assertThat(received.ends).isEqualTo(1);
    }

    @Test
    void nothingComesAfterACancellationOrANonsensicalRequest() {
        Received cancelled = received(1, 0);
        if (cancelled.subscription != null) {
            cancelled.subscription.cancel();
        }
        cancelled.ask(5);
        assertThat(cancelled.pieces).isEqualTo(1);

        Received wrong = received(-1, 0);
        wrong.ask(5);
        assertThat(wrong.failure).isInstanceOf(IllegalArgumentException.class);
        assertThat(wrong.pieces).isZero();
    }
}
