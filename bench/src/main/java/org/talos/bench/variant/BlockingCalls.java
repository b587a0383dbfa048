// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.variant;

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
 * Holds Jetty's thread until the answer of a call is there, as Talos 2.1.5 and 2.1.6 do, to measure what that costs.
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
    public boolean blocks() {
        return true;
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
