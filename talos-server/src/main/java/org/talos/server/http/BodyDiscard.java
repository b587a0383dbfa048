// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http;

import java.nio.ByteBuffer;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.thread.Invocable;
import org.jspecify.annotations.Nullable;

/**
 * Reads the rest of a body and keeps nothing of it, so that a refusal finds a client who listens: one that is still
 * sending when its connection ends sees a broken pipe and no status. One that sends too slowly is not waited for.
 *
 * <p>Confined: one callback of the request at a time.
 */
final class BodyDiscard extends BodyTask {
    private final long limit;
    private final BodyPace pace;
    private final boolean mayWait;
    private final Consumer<Boolean> complete;
    private final Consumer<Throwable> failed;
    private final Consumer<Throwable> threw;
    private long received;

    /**
     * A discard that has not begun.
     *
     * @param limit of the bytes that are read
     * @param pace of these bytes
     * @param mayWait whether to wait for what has not come yet
     * @param selector see {@link BodyTask}
     * @param complete gets, once, whether the body has ended: within the limit, at this pace and without a wait that
     *     may not be
     * @param failed gets, in its place, why the connection failed
     * @param threw gets what any of these has thrown
     */
    BodyDiscard(
            Request request,
            long limit,
            BodyPace pace,
            boolean mayWait,
            Invocable.InvocationType type,
            @Nullable Executor selector,
            Consumer<Boolean> complete,
            Consumer<Throwable> failed,
            Consumer<Throwable> threw) {
        super(request, type, selector);
        this.limit = limit;
        this.pace = pace;
        this.mayWait = mayWait;
        this.complete = complete;
        this.failed = failed;
        this.threw = threw;
    }

    @Override
    boolean take(ByteBuffer piece) {
        received += piece.remaining();
        return received <= limit;
    }

    @Override
    boolean awaitsMore() {
        boolean awaits = mayWait && !pace.isTooSlow(received);
        if (!awaits) {
            complete.accept(false);
        }
        return awaits;
    }

    @Override
    void end(boolean bodyEnded) {
        complete.accept(bodyEnded);
    }

    @Override
    void failed(Throwable cause) {
        failed.accept(cause);
    }

    @Override
    void threw(Throwable cause) {
        threw.accept(cause);
    }
}
