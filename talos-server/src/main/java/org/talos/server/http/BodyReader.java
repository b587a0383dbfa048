// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.eclipse.jetty.io.Content;
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
public final class BodyReader implements Invocable.Task {
    private static final int FIRST_STEP_BYTES = 4 << 10;

    private final Request request;
    private final long declared;
    private final long limit;
    private final int room;
    private final MemoryBudget budget;
    private final BodyPace pace;
    private final Invocable.InvocationType type;
    private final Listener listener;
    private byte[] body = new byte[0];
    private int length;
    private long reserved;

    /** Hears once how it ended, and has to give the memory back. Confined: as the reader. */
    public interface Listener {
        /** The body, with its room on both sides in the same array. */
        void whole(ByteBuffer body, long reservedBytes);

        /** It is not read any further. */
        void refused(int status, String sentence, long reservedBytes);

        /** The connection has failed. */
        void gone(Throwable cause, long reservedBytes);
    }

    /**
     * A reader that has not begun.
     *
     * @param declared length, or -1
     * @param limit of the body
     * @param room bytes that are left free in front of the body, and as many behind it
     */
    public BodyReader(
            Request request,
            long declared,
            long limit,
            int room,
            MemoryBudget budget,
            BodyPace pace,
            Invocable.InvocationType type,
            Listener listener) {
        this.request = request;
        this.declared = declared;
        this.limit = limit;
        this.room = room;
        this.budget = budget;
        this.pace = pace;
        this.type = type;
        this.listener = listener;
    }

    @Override
    public Invocable.InvocationType getInvocationType() {
        return type;
    }

    /** Reads what is there, and asks to be called again for the rest. */
    @Override
    public void run() {
        while (true) {
            Content.Chunk chunk = request.read();
            if (chunk == null) {
                if (pace.isTooSlow(length)) {
                    listener.refused(FrontEnd.TOO_SLOW, "The body comes too slowly.", reserved);
                } else {
                    request.demand(this);
                }
                return;
            }
            if (Content.Chunk.isFailure(chunk)) {
                listener.gone(chunk.getFailure(), reserved);
                return;
            }
            @Nullable String refusal = take(chunk.getByteBuffer());
            boolean last = chunk.isLast();
            chunk.release();
            if (refusal != null) {
                refuse(refusal);
                return;
            }
            if (last) {
                listener.whole(ByteBuffer.wrap(body, length == 0 ? 0 : room, length), reserved);
                return;
            }
        }
    }

    private void refuse(String sentence) {
        listener.refused(length > limit ? FrontEnd.TOO_LARGE : FrontEnd.UNAVAILABLE, sentence, reserved);
    }

    private @Nullable String take(ByteBuffer bytes) {
        int more = bytes.remaining();
        if (length + (long) more > limit) {
            length = Integer.MAX_VALUE;
            return "The body is larger than " + limit + " bytes.";
        }
        if (more == 0) {
            return null;
        }
        if (length + more > body.length - 2 * room && !grow(length + more)) {
            return "The server has no memory for the body now.";
        }
        bytes.get(body, room + length, more);
        length += more;
        return null;
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
}
