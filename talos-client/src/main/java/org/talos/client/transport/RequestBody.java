// SPDX-License-Identifier: Apache-2.0
package org.talos.client.transport;

import java.net.http.HttpRequest;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicLong;
import org.talos.common.auth.RequestSignature;

/**
 * The bytes of a request in pieces, which are sent as they are: the JDK's own body of bytes copies all of them.
 *
 * <p>Thread-safe.
 */
final class RequestBody implements HttpRequest.BodyPublisher {
    /** What the channel copies at once to memory that it keeps for each thread. */
    private static final int PIECE_BYTES = 64 << 10;

    private final List<ByteBuffer> parts;

    /** A body of one or more buffers, which are not empty and do not change. */
    RequestBody(List<ByteBuffer> parts) {
        this.parts = List.copyOf(parts);
    }

    /** Its MD5 as 32 hex digits. */
    String md5Hex() {
        return RequestSignature.md5Hex(parts);
    }

    /** Its bytes in order; positions and limits are not to be moved. */
    List<ByteBuffer> parts() {
        return parts;
    }

    @Override
    public long contentLength() {
        return parts.stream().mapToLong(ByteBuffer::remaining).sum();
    }

    @Override
    public void subscribe(Flow.Subscriber<? super ByteBuffer> subscriber) {
        subscriber.onSubscribe(new Pieces(subscriber));
    }

    /**
     * Hands out the pieces once.
     *
     * <p>Thread-safe: whoever asks first gives until nothing more is wanted; who asks meanwhile only counts.
     */
    private final class Pieces implements Flow.Subscription {
        private final Flow.Subscriber<? super ByteBuffer> to;
        private final AtomicLong wanted = new AtomicLong();
        private volatile boolean isOver;
        private int part; // these two are the giver's
        private int at; // in the part

        Pieces(Flow.Subscriber<? super ByteBuffer> to) {
            this.to = to;
        }

        @Override
        public void request(long count) {
            if (count <= 0) {
                isOver = true;
                to.onError(new IllegalArgumentException("count: " + count + " (expected: 1 or more)"));
                return;
            }
            long before = wanted.getAndAccumulate(count, (old, more) -> old + more < 0 ? Long.MAX_VALUE : old + more);
            if (before > 0) {
                return;
            }
            do {
                give();
            } while (!isOver && wanted.decrementAndGet() > 0);
        }

        private void give() {
            if (isOver) {
                return;
            }
            ByteBuffer from = parts.get(part);
            int bytes = Math.min(PIECE_BYTES, from.remaining() - at);
            ByteBuffer piece = from.slice(from.position() + at, bytes).asReadOnlyBuffer();
            at += bytes;
            if (at == from.remaining()) {
                part++;
                at = 0;
            }
            to.onNext(piece);
            if (part == parts.size() && !isOver) {
                isOver = true;
                to.onComplete();
            }
        }

        @Override
        public void cancel() {
            isOver = true;
        }
    }
}
