// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http;

import java.nio.ByteBuffer;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
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
    private final @Nullable Semaphore places;
    private final Consumer<Boolean> complete;
    private final Consumer<Throwable> failed;
    private final Consumer<Throwable> threw;
    private long received;
    private boolean holdsPlace;

    /**
     * A discard that has not begun.
     *
     * @param limit of the bytes that are read
     * @param pace of these bytes
     * @param places of those who wait for what has not come yet, one of which is held meanwhile; if there is none, no
     *     more is read than is there. Null: it waits without one
     * @param selector see {@link BodyTask}
     * @param complete gets, once, whether the body has ended: within the limit, at this pace and without a wait for
     *     which there was no place
     * @param failed gets, in its place, why the connection failed
     * @param threw gets what any of these has thrown
     */
    BodyDiscard(
            Request request,
            long limit,
            BodyPace pace,
            @Nullable Semaphore places,
            Invocable.InvocationType type,
            @Nullable Executor selector,
            Consumer<Boolean> complete,
            Consumer<Throwable> failed,
            Consumer<Throwable> threw) {
        super(request, type, selector);
        this.limit = limit;
        this.pace = pace;
        this.places = places;
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
        boolean awaits = !pace.isTooSlow(received) && hasPlace();
        if (!awaits) {
            end(false);
        }
        return awaits;
    }

    private boolean hasPlace() {
        if (places != null && !holdsPlace) {
            holdsPlace = places.tryAcquire();
            return holdsPlace;
        }
        return true;
    }

    private void leavePlace() {
        if (places != null && holdsPlace) {
            holdsPlace = false;
            places.release();
        }
    }

    @Override
    void end(boolean bodyEnded) {
        leavePlace();
        complete.accept(bodyEnded);
    }

    @Override
    void timedOut() {
        end(false);
    }

    @Override
    void failed(Throwable cause) {
        leavePlace();
        failed.accept(cause);
    }

    @Override
    void threw(Throwable cause) {
        leavePlace();
        threw.accept(cause);
    }
}
