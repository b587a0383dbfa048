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
 * sending when its connection ends sees a broken pipe and no status.
 *
 * <p>Confined: one callback of the request at a time.
 */
final class BodyDiscard extends BodyTask {
    private final Consumer<Boolean> complete;
    private final Consumer<Throwable> failed;
    private final Consumer<Throwable> threw;
    private long left;

    /**
     * A discard that has not begun.
     *
     * @param limit of the bytes that are read
     * @param selector see {@link BodyTask}
     * @param complete gets, once, whether the body has ended within the limit
     * @param failed gets, in its place, why the connection failed
     * @param threw gets what any of these has thrown
     */
    BodyDiscard(
            Request request,
            long limit,
            Invocable.InvocationType type,
            @Nullable Executor selector,
            Consumer<Boolean> complete,
            Consumer<Throwable> failed,
            Consumer<Throwable> threw) {
        super(request, type, selector);
        this.left = limit;
        this.complete = complete;
        this.failed = failed;
        this.threw = threw;
    }

    @Override
    boolean take(ByteBuffer piece) {
        left -= piece.remaining();
        return left >= 0;
    }

    @Override
    boolean awaitsMore() {
        return true;
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
