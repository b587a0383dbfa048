// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.call;

import java.util.concurrent.CompletionStage;

/** Receives requests from the front end. Thread-safe. */
@FunctionalInterface
public interface CallHandler {
    /**
     * Runs a call. Does not block, unless {@link #blocks} says so.
     *
     * @return completes once, on any thread, by the call's deadline plus a small bound; exceptionally only if the
     *     server itself failed
     * @throws BadRequestException the body is no call
     */
    CompletionStage<ServiceAnswer> call(ServiceRequest request) throws BadRequestException;

    /** Returns whether a call blocks its caller's thread, so that the front end must not run it on a selector's. */
    default boolean blocks() {
        return false;
    }
}
