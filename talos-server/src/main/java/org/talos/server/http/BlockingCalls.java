// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.service.call.BadRequestException;
import org.talos.server.service.call.CallHandler;
import org.talos.server.service.call.ServiceAnswer;
import org.talos.server.service.call.ServiceRequest;

/**
 * The blocking front end, {@code http.dispatch: blocking}: holds Jetty's thread until the answer is there, to measure
 * what that costs (docs/experiments.md).
 *
 * <p>Thread-safe; blocks.
 */
final class BlockingCalls implements CallHandler {
    private static final Logger LOG = LoggerFactory.getLogger(BlockingCalls.class);
    /** Above every deadline that a call may have. */
    private static final long LONGEST_CALL_SECONDS = 700;

    private final CallHandler calls;

    BlockingCalls(CallHandler calls) {
        this.calls = calls;
    }

    @Override
    public CompletionStage<ServiceAnswer> call(ServiceRequest request) throws BadRequestException {
        CompletionStage<ServiceAnswer> answer = calls.call(request);
        try {
            answer.toCompletableFuture().get(LONGEST_CALL_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            LOG.debug("call not answered while its thread waited; the exchange reports it", e);
        }
        return answer;
    }
}
