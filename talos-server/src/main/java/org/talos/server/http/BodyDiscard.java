// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http;

import java.nio.ByteBuffer;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;

/**
 * Reads and discards the rest of a body, so that the client receives the refusal. A client that is still sending when
 * its connection ends sees a broken pipe and no status. Does not wait for a client that sends too slowly.
 *
 * <p>Confined: one callback of the request at a time.
 */
final class BodyDiscard extends BodyTask {
    private final long limit;
    private final BodyPace pace;
    private final @Nullable Semaphore places;
    private final Outcome outcome;
    private long received;
    private boolean holdsPlace;

    /**
     * Is notified once of the result of reading. Immutable.
     *
     * @param complete receives whether the body has ended: within the limit, at this pace and without a wait for which
     *     there was no place
     * @param failed gets, in its place, why the connection failed
     * @param threw receives the exception of any of these
     */
    record Outcome(Consumer<Boolean> complete, Consumer<Throwable> failed, Consumer<Throwable> threw) {}

    /**
     * A discard that has not begun.
     *
     * @param limit of the bytes that are read
     * @param pace of these bytes
     * @param places limits the number of requests that wait for more of a body; one place is held during the wait. If
     *     none is free, only the available bytes are read. Null: waits without a place
     */
    BodyDiscard(
            Request request,
            long limit,
            BodyPace pace,
            @Nullable Semaphore places,
            Callbacks callbacks,
            Outcome outcome) {
        super(request, callbacks);
        this.limit = limit;
        this.pace = pace;
        this.places = places;
        this.outcome = outcome;
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
        outcome.complete.accept(bodyEnded);
    }

    @Override
    void timedOut() {
        end(false);
    }

    @Override
    void failed(Throwable cause) {
        leavePlace();
        outcome.failed.accept(cause);
    }

    @Override
    void threw(Throwable cause) {
        leavePlace();
        outcome.threw.accept(cause);
    }
}
