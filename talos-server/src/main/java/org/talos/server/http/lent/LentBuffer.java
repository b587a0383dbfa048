// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.lent;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicReference;
import org.eclipse.jetty.util.Callback;

/**
 * A buffer that its owner fills and lends to Jetty, one write at a time. It is reused, for any answer, only if every
 * write from it has succeeded. Jetty may report that a write has failed while its flusher still sends the buffer: over
 * HTTP/2, a connection that ends because of its resets fails the writes of all streams, and still sends the ones it has
 * begun. Bytes that another answer put into the buffer in between would go to the wrong client. So a buffer whose write
 * has failed, or has not ended, is left to the garbage collector.
 *
 * <p>Confined: its owner. The callbacks of its writes are thread-safe.
 */
public final class LentBuffer implements AutoCloseable {
    private final LentBuffers pool;
    private final ByteBuffer buffer;
    private final AtomicReference<Object> holder = new AtomicReference<>(State.OWNED); // or the write under way

    /** Where the buffer is while no write is under way. Immutable. */
    private enum State {
        OWNED,
        LOST,
        CLOSED
    }

    LentBuffer(LentBuffers pool, ByteBuffer buffer) {
        this.pool = pool;
        this.buffer = buffer;
    }

    /**
     * Returns the buffer, cleared, for its owner to fill.
     *
     * @throws IllegalStateException it is lent, one of its writes has failed, or it is closed
     */
    public ByteBuffer clear() {
        requireOwned();
        return buffer.clear();
    }

    /**
     * Lends the buffer for one write.
     *
     * @param next learns, once, how the write has ended; the buffer is its owner's again if it has succeeded
     * @return the callback of the write, of which the first call counts
     * @throws IllegalStateException as of {@link #clear}
     */
    public Callback lend(Callback next) {
        Write write = new Write(next);
        if (!holder.compareAndSet(State.OWNED, write)) {
            requireOwned();
        }
        return write;
    }

    private void requireOwned() {
        Object now = holder.get();
        if (now != State.OWNED) {
            throw new IllegalStateException("the buffer is " + (now instanceof State ? now : "LENT"));
        }
    }

    /**
     * Returns the buffer to its pool if all writes from it have succeeded, and leaves it to the collector otherwise.
     * The end of a write that is under way is not reported any more.
     */
    @Override
    public void close() {
        if (holder.getAndSet(State.CLOSED) == State.OWNED) {
            pool.putBack(buffer);
        }
    }

    /** The end of a write. Thread-safe. */
    private final class Write implements Callback {
        private final Callback next;

        Write(Callback next) {
            this.next = next;
        }

        @Override
        public InvocationType getInvocationType() {
            return next.getInvocationType();
        }

        @Override
        public void succeeded() {
            if (holder.compareAndSet(this, State.OWNED)) {
                next.succeeded();
            }
        }

        @Override
        public void failed(Throwable cause) {
            if (holder.compareAndSet(this, State.LOST)) {
                next.failed(cause);
            }
        }
    }
}
