// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http;

import java.util.function.Consumer;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.thread.Invocable;

/**
 * Reads the rest of a body and keeps nothing of it, so that a refusal finds a client who listens: one that is still
 * sending when its connection ends sees a broken pipe and no status.
 *
 * <p>Confined: one callback of the request at a time.
 */
public final class BodyDiscard implements Invocable.Task {
    private final Request request;
    private final Invocable.InvocationType type;
    private final Consumer<Boolean> whole;
    private final Consumer<Throwable> gone;
    private long left;

    /**
     * Reads at most so much.
     *
     * @param whole told once whether the body has ended within the limit
     * @param gone told instead if the client went away, or was too slow
     */
    public BodyDiscard(
            Request request,
            long limit,
            Invocable.InvocationType type,
            Consumer<Boolean> whole,
            Consumer<Throwable> gone) {
        this.request = request;
        this.left = limit;
        this.type = type;
        this.whole = whole;
        this.gone = gone;
    }

    @Override
    public Invocable.InvocationType getInvocationType() {
        return type;
    }

    @Override
    public void run() {
        while (true) {
            Content.Chunk chunk = request.read();
            if (chunk == null) {
                request.demand(this);
                return;
            }
            if (Content.Chunk.isFailure(chunk)) {
                gone.accept(chunk.getFailure());
                return;
            }
            left -= chunk.remaining();
            boolean last = chunk.isLast();
            chunk.release();
            if (last || left < 0) {
                whole.accept(last);
                return;
            }
        }
    }
}
