// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.call;

import java.util.concurrent.CompletionStage;

/** Where the front end hands requests to. Thread-safe. */
@FunctionalInterface
public interface CallHandler {
    /**
     * Runs a call. Never blocks.
     *
     * @return completes once, on any thread, by the call's deadline plus a small bound; exceptionally only if the
     *     server itself failed
     * @throws BadRequestException the body is no call
     */
    CompletionStage<ServiceAnswer> call(ServiceRequest request) throws BadRequestException;
}
