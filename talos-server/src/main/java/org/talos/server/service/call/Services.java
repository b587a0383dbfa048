// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.call;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.thrift.TApplicationException;
import org.apache.thrift.TBase;
import org.apache.thrift.TException;
import org.apache.thrift.protocol.TMessageType;
import org.apache.thrift.protocol.TProtocol;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.common.error.ErrorTraits;
import org.talos.common.error.TalosException;
import org.talos.common.wire.Envelope;
import org.talos.common.wire.EnvelopeHead;
import org.talos.common.wire.Wire;
import org.talos.server.auth.quota.QuotaGate;
import org.talos.server.metrics.Operation;
import org.talos.server.metrics.RequestMetrics;
import org.talos.server.partition.serving.Failures;
import org.talos.server.service.call.ServiceAnswer.Delivery;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.GalaxyTalosException;

/**
 * Runs calls of all services: reads the call, runs it, and writes its answer. Failures become answers here, and nowhere
 * else.
 *
 * <p>Thread-safe.
 */
public final class Services implements CallHandler {
    private static final Logger LOG = LoggerFactory.getLogger(Services.class);

    private final CallTable table;
    private final Deadlines deadlines;
    private final QuotaGate gate;
    private final RequestMetrics metrics;

    /** @param metrics of failures */
    public Services(CallTable table, Deadlines deadlines, QuotaGate gate, RequestMetrics metrics) {
        this.table = table;
        this.deadlines = deadlines;
        this.gate = gate;
        this.metrics = metrics;
    }

    @Override
    public CompletionStage<ServiceAnswer> call(ServiceRequest request) throws BadRequestException {
        TProtocol in;
        EnvelopeHead head;
        try {
            ByteBuffer body = request.body();
            in = Wire.requestReader(
                    request.encoding(), body.array(), body.arrayOffset() + body.position(), body.remaining());
            head = Envelope.readHead(in);
        } catch (TException | RuntimeException e) {
            throw new BadRequestException("the body is no Thrift message of its content type");
        }
        if (head.type() != TMessageType.CALL) {
            return failure(request, head, TApplicationException.INVALID_MESSAGE_TYPE, "not a call");
        }
        CallTable.Method method = table.find(request.service(), head.method());
        if (method == null) {
            return failure(
                    request, head, TApplicationException.UNKNOWN_METHOD, "Unknown function " + shown(head.method()));
        }
        TBase<?, ?> arguments = method.newRequest();
        try {
            Envelope.readArguments(in, arguments);
        } catch (TException | RuntimeException e) {
            return failure(
                    request, head, TApplicationException.PROTOCOL_ERROR, "the call cannot be read: " + e.getMessage());
        }
        return run(request, head, method, arguments);
    }

    private CompletionStage<ServiceAnswer> run(
            ServiceRequest request, EnvelopeHead head, CallTable.Method method, @Nullable TBase<?, ?> arguments) {
        CallContext context = new CallContext(
                request.caller(),
                request.arrivedNanos(),
                deadlines.byDefault(request.arrivedNanos()),
                request.continuation(),
                request.presence(),
                request.memory());
        CompletionStage<CallResult> result;
        try {
            gate.request();
            request.principal().requireRightToAct();
            result = method.run(context, arguments);
        } catch (RuntimeException e) {
            result = CompletableFuture.failedFuture(e);
        }
        return result.handle((done, thrown) ->
                thrown == null ? answer(request, head, method.operation(), done) : refuse(request, head, thrown));
    }

    private ServiceAnswer answer(ServiceRequest request, EnvelopeHead head, Operation operation, CallResult result) {
        try {
            return new ServiceAnswer(
                    Envelope.reply(request.encoding(), head, result.value(), result.error()),
                    result.delivery(),
                    operation);
        } catch (TException | RuntimeException | Error e) {
            result.delivery().ended(false);
            throw new IllegalStateException("an answer cannot be written: " + head.method(), e);
        }
    }

    private ServiceAnswer refuse(ServiceRequest request, EnvelopeHead head, Throwable thrown) {
        TalosException failure = Failures.of(thrown);
        metrics.failed(ErrorTraits.isOfServer(failure));
        if (ErrorTraits.thriftCodeOf(failure) == ErrorCode.INTERNAL_SERVER_ERROR) {
            LOG.atError()
                    .addKeyValue("request", request.client().requestId())
                    .addKeyValue("method", head.method())
                    .setCause(thrown)
                    .log("call failed");
        }
        boolean blindSpot = failure.code() == ErrorCode.MESSAGE_OFFSET_OUT_OF_RANGE
                && request.client().isGoSdk();
        try {
            List<ByteBuffer> body = blindSpot
                    ? Envelope.failure(
                            request.encoding(), head, TApplicationException.INTERNAL_ERROR, failure.getMessage())
                    : Envelope.reply(request.encoding(), head, null, shown(failure, request.client()));
            return new ServiceAnswer(body, Delivery.IGNORED, Operation.OTHER);
        } catch (TException e) {
            throw new IllegalStateException("an answer cannot be written: " + head.method(), e);
        }
    }

    /**
     * Returns the failure by the numbers that the client knows: 38 is CONSUMER_NOT_EXIST in the Java SDK, and its last
     * one.
     */
    private static GalaxyTalosException shown(TalosException failure, ClientInfo client) {
        GalaxyTalosException shown = Failures.toThrift(failure);
        if (failure.code() == ErrorCode.CONSUMER_NOT_EXIST && client.isJavaSdk()) {
            shown.setErrorCode(ErrorCode.CLOCK_TOO_SKEWED);
        }
        return shown;
    }

    private static CompletionStage<ServiceAnswer> failure(
            ServiceRequest request, EnvelopeHead head, int type, String sentence) {
        try {
            return CompletableFuture.completedFuture(new ServiceAnswer(
                    Envelope.failure(request.encoding(), head, type, sentence), Delivery.IGNORED, Operation.OTHER));
        } catch (TException e) {
            throw new IllegalStateException("an answer cannot be written", e);
        }
    }

    private static String shown(String method) {
        return method.length() <= 100 ? method : method.substring(0, 100) + "…";
    }
}
