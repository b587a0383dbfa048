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
final class BodyReader implements Invocable.Task {
    private static final int FIRST_STEP_BYTES = 4 << 10;

    private final Request request;
    private final long declared;
    private final long limit;
    private final MemoryBudget budget;
    private final BodyPace pace;
    private final Invocable.InvocationType type;
    private final Listener listener;
    private byte[] body = new byte[0];
    private int length;
    private long reserved;

    /** Hears once how it ended. Confined: as the reader. */
    interface Listener {
        void whole(ByteBuffer body, long reservedBytes);

        void refused(int status, String sentence, long reservedBytes);

        void gone(Throwable cause, long reservedBytes);
    }

    /** With the declared length, or -1. */
    BodyReader(
            Request request,
            long declared,
            long limit,
            MemoryBudget budget,
            BodyPace pace,
            Invocable.InvocationType type,
            Listener listener) {
        this.request = request;
        this.declared = declared;
        this.limit = limit;
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
                listener.whole(ByteBuffer.wrap(body, 0, length), reserved);
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
        if (length + more > body.length && !grow(length + more)) {
            return "The server has no memory for the body now.";
        }
        bytes.get(body, length, more);
        length += more;
        return null;
    }

    private boolean grow(int needed) {
        long size = declared >= needed
                ? declared
                : Math.min(limit, Math.max(needed, Math.max(2L * length, FIRST_STEP_BYTES)));
        if (!budget.tryReserve(size - reserved)) {
            return false;
        }
        reserved = size;
        body = Arrays.copyOf(body, (int) size);
        return true;
    }
}
