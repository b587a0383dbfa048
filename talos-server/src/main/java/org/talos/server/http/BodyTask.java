// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http;

import java.nio.ByteBuffer;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.thread.Invocable;
import org.jspecify.annotations.Nullable;

/**
 * Takes the pieces of a body as they arrive, without a waiting thread.
 *
 * <p>Confined: one callback of the request at a time.
 */
abstract class BodyTask implements Invocable.Task {
    /** A body with more bytes is large. A selector reads this number in a fraction of a millisecond. */
    static final int LARGE_BYTES = 128 << 10;

    private final Request request;
    private final Invocable.InvocationType type;
    private final @Nullable Executor turns;

    /**
     * The threads on which a task is called back. Immutable.
     *
     * @param turns of the task's user: in one of them the task continues, once other connections and users have had
     *     theirs; null: no other waits for its thread
     */
    record Callbacks(
            Invocable.InvocationType type, @Nullable Executor turns) {}

    /** A task that has not begun. */
    BodyTask(Request request, Callbacks callbacks) {
        this.request = request;
        type = callbacks.type;
        turns = callbacks.turns;
    }

    @Override
    public final Invocable.InvocationType getInvocationType() {
        return type;
    }

    /** Takes a piece of the body; returns false if no more are needed. */
    abstract boolean take(ByteBuffer piece);

    /** Returns whether to wait for more; if not, nothing further is called. */
    abstract boolean awaitsMore();

    /** Called once, after the last needed piece, with whether the body ended there. */
    abstract void end(boolean bodyEnded);

    /** Called in place of {@link #end}: nothing came for as long as a connection may be idle. */
    abstract void timedOut();

    /** Called in place of {@link #end}: the connection has failed. */
    abstract void failed(Throwable cause);

    /** Called when any of the methods above has thrown. Nothing more is called after it. */
    abstract void threw(Throwable cause);

    /** Takes the available bytes, or as many as others can wait for, and asks to be called again for the rest. */
    @Override
    public final void run() {
        try {
            takeAll();
        } catch (RuntimeException | Error e) { // an Error too: there may be no memory for the body
            threw(e);
        }
    }

    private void takeAll() {
        long taken = 0;
        while (true) {
            if (taken >= LARGE_BYTES && turns != null) {
                turns.execute(this);
                return;
            }
            Content.Chunk chunk = request.read();
            if (chunk == null) {
                if (awaitsMore()) {
                    request.demand(this);
                }
                return;
            }
            if (Content.Chunk.isFailure(chunk)) {
                onFailure(chunk);
                return;
            }
            taken += chunk.remaining();
            boolean last = chunk.isLast();
            boolean continues;
            try {
                continues = take(chunk.getByteBuffer());
            } finally {
                chunk.release();
            }
            if (last || !continues) {
                end(last);
                return;
            }
        }
    }

    /**
     * An idle connection has not failed: the body can be read on. A server that stops shortens the idle timeout, but
     * requests in flight have their grace period.
     */
    private void onFailure(Content.Chunk chunk) {
        boolean isIdle = chunk.getFailure() instanceof TimeoutException;
        if (isIdle && Content.Chunk.isFailure(chunk, false) && SelectorConnector.isWithinGrace(request)) {
            if (awaitsMore()) {
                request.demand(this);
            }
        } else if (isIdle) {
            timedOut();
        } else {
            failed(chunk.getFailure());
        }
    }
}
