// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.thread.Invocable;
import org.jspecify.annotations.Nullable;
import org.talos.server.runtime.MemoryBudget;

/**
 * Reads a body into one array, as it comes, without a thread that waits. The memory is taken from the budget before it
 * is allocated: at once for a declared length, in steps otherwise.
 *
 * <p>Confined: one callback of the request at a time.
 */
final class BodyReader extends BodyTask {
    private static final int FIRST_STEP_BYTES = 4 << 10;

    private final long declared;
    private final long limit;
    private final int room;
    private final MemoryBudget budget;
    private final BodyPace pace;
    private final Listener listener;
    private byte[] body = new byte[0];
    private int length;
    private long reserved;
    private @Nullable Refusal refusal;

    /**
     * Called once, with how the reading ended, but for {@link #threw}; has to release the memory from then on.
     * Confined: as the reader.
     */
    interface Listener {
        /** The body is there, with its room on both sides in the same array. */
        void complete(ByteBuffer body, long reservedBytes);

        /** The body is not read any further. */
        void refused(int status, String sentence, long reservedBytes);

        /** The connection has failed. */
        void failed(Throwable cause, long reservedBytes);

        /** The reading has thrown, or another of these methods has. */
        void threw(Throwable cause, long reservedBytes);
    }

    /**
     * A reader that has not begun.
     *
     * @param limit of the body
     * @param room bytes that are left free in front of the body, and as many behind it
     */
    BodyReader(
            Request request,
            long limit,
            int room,
            MemoryBudget budget,
            BodyPace pace,
            Invocable.InvocationType type,
            Listener listener) {
        super(request, type);
        this.declared = request.getLength();
        this.limit = limit;
        this.room = room;
        this.budget = budget;
        this.pace = pace;
        this.listener = listener;
    }

    @Override
    boolean take(ByteBuffer piece) {
        int more = piece.remaining();
        if (length + (long) more > limit) {
            refusal = Refusal.bodyUnread(FrontEnd.TOO_LARGE, "The body is larger than " + limit + " bytes.");
            return false;
        }
        if (more == 0) {
            return true;
        }
        if (length + more > body.length - 2 * room && !grow(length + more)) {
            refusal = Refusal.bodyUnread(FrontEnd.UNAVAILABLE, "The server has no memory for the body now.");
            return false;
        }
        piece.get(body, room + length, more);
        length += more;
        return true;
    }

    private boolean grow(int needed) {
        long size = declared >= needed
                ? declared
                : Math.min(limit, Math.max(needed, Math.max(2L * length, FIRST_STEP_BYTES)));
        long whole = size + 2L * room;
        if (!budget.tryReserve(whole - reserved)) {
            return false;
        }
        reserved = whole;
        body = Arrays.copyOf(body, (int) whole);
        return true;
    }

    @Override
    boolean awaitsMore() {
        if (pace.isTooSlow(length)) {
            listener.refused(FrontEnd.TOO_SLOW, "The body comes too slowly.", handOver());
            return false;
        }
        return true;
    }

    @Override
    void end(boolean bodyEnded) {
        if (refusal != null) {
            listener.refused(refusal.status(), refusal.sentence(), handOver());
        } else {
            listener.complete(ByteBuffer.wrap(body, length == 0 ? 0 : room, length), handOver());
        }
    }

    @Override
    void failed(Throwable cause) {
        listener.failed(cause, handOver());
    }

    @Override
    void threw(Throwable cause) {
        listener.threw(cause, handOver());
    }

    private long handOver() {
        long bytes = reserved;
        reserved = 0;
        return bytes;
    }
}
