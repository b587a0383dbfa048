// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.thrift;

import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.common.auth.RequestSignature;
import org.talos.common.wire.ThriftEncoding;
import org.talos.server.auth.AuthenticationException;
import org.talos.server.auth.Authenticator;
import org.talos.server.auth.Principal;
import org.talos.server.auth.SignedRequest;
import org.talos.server.http.AnswerWriter;
import org.talos.server.http.BodyDiscard;
import org.talos.server.http.BodyPace;
import org.talos.server.http.BodyReader;
import org.talos.server.http.FrontEnd;
import org.talos.server.http.Refusal;
import org.talos.server.http.Refusals;
import org.talos.server.http.SignedHeaders;
import org.talos.server.metrics.OperationMetrics;
import org.talos.server.service.call.BadRequestException;
import org.talos.server.service.call.ServiceAnswer;
import org.talos.server.service.call.ServiceAnswer.Delivery;
import org.talos.server.service.call.ServiceName;
import org.talos.server.service.call.ServiceRequest;

/**
 * One request on its way: checks in the order that gives least away and reads least, then body, call, answer. Ends
 * once, and gives its memory back once.
 *
 * <p>Thread-safe where it is called from another thread: the end.
 */
final class ThriftExchange implements BodyReader.Listener {
    private static final Logger LOG = LoggerFactory.getLogger(ThriftExchange.class);

    private static final int ACCOUNTED_ANSWER_BYTES = 16 << 10;

    private final FrontEnd.Parts parts;
    private final Request request;
    private final Response response;
    private final Callback callback;
    private final AtomicBoolean ended = new AtomicBoolean();
    private final AtomicLong reserved = new AtomicLong();
    private @Nullable Admitted admitted; // from the checks on
    private long authenticationNanos;
    private volatile long seenCpuNanos = OperationMetrics.NOT_SEEN;

    ThriftExchange(FrontEnd.Parts parts, Request request, Response response, Callback callback) {
        this.parts = parts;
        this.request = request;
        this.response = response;
        this.callback = callback;
    }

    /** What is known once the headers have been checked. */
    private record Admitted(
            ServiceName service, ThriftEncoding encoding, SignedRequest signed, Principal principal, long limit) {}

    void begin() {
        try {
            Admitted known = admit();
            admitted = known;
            long declared = request.getLength();
            BodyPace pace = new BodyPace(
                    parts.config().minBodyBytesPerSecond(),
                    parts.config().bodyGrace(),
                    request.getHeadersNanoTime(),
                    parts.ticker());
            new BodyReader(request, declared, known.limit, 0, parts.budget(), pace, parts.invocation(), this).run();
        } catch (Refused e) {
            refuseUnread(e.refusal);
        }
    }

    /**
     * Answers when the body has passed, if its sender holds a key: the 412 of a large put is what a client repairs its
     * clock by. Of others nothing is read.
     */
    private void refuseUnread(Refusal refusal) {
        boolean ofKeyHolder = refusal.status() == AuthenticationException.CLOCK_TOO_SKEWED
                || refusal.status() == HttpStatus.UNSUPPORTED_MEDIA_TYPE_415
                || refusal.status() == FrontEnd.UNAVAILABLE;
        if (!ofKeyHolder || request.getHeaders().contains(HttpHeader.EXPECT)) {
            refuse(refusal);
            return;
        }
        release();
        new BodyDiscard(
                        request,
                        parts.config().maxBodyBytes(),
                        parts.invocation(),
                        whole -> refuse(new Refusal(refusal.status(), refusal.sentence(), whole)),
                        cause -> gone(cause, 0))
                .run();
    }

    /** A check that failed. */
    private static final class Refused extends Exception {
        private final transient Refusal refusal;

        Refused(Refusal refusal) {
            super(refusal.sentence(), null, false, false);
            this.refusal = refusal;
        }
    }

    private Admitted admit() throws Refused {
        String path = request.getHttpURI().getPath();
        Optional<ServiceName> service = ServiceName.atPath(path == null ? "" : path);
        long limit = service.isPresent() && service.get() == ServiceName.MESSAGE
                ? parts.config().maxBodyBytes()
                : parts.config().maxControlBodyBytes();
        if (request.getLength() > limit) {
            throw new Refused(Refusal.bodyUnread(FrontEnd.TOO_LARGE, "The body is larger than " + limit + " bytes."));
        }
        if (service.isEmpty()) {
            throw new Refused(Refusal.bodyUnread(404, "Nothing is here."));
        }
        if (!request.getMethod().equals("POST")) {
            response.getHeaders().put(HttpHeader.ALLOW, "POST");
            throw new Refused(Refusal.bodyUnread(405, "Calls are sent with POST."));
        }
        long start = parts.ticker().nanos();
        SignedRequest signed = SignedHeaders.of(request, service.get().path());
        try {
            Principal principal = parts.authenticator().authenticate(signed);
            authenticationNanos = parts.ticker().nanos() - start;
            return new Admitted(service.get(), encoding(), signed, principal, limit);
        } catch (AuthenticationException e) {
            throw new Refused(Refusal.bodyUnread(e.status(), e.sentence()));
        }
    }

    private ThriftEncoding encoding() throws Refused {
        HttpFields headers = request.getHeaders();
        if (headers.contains(HttpHeader.CONTENT_ENCODING)) {
            throw new Refused(Refusal.bodyUnread(415, "Bodies of calls are not encoded."));
        }
        String type = headers.get(HttpHeader.CONTENT_TYPE);
        return ThriftEncoding.fromContentType(type == null ? "" : type)
                .orElseThrow(() -> new Refused(Refusal.bodyUnread(
                        415, "The content type is none of Thrift: send application/x-thrift-compact.")));
    }

    @Override
    public void refused(int status, String sentence, long reservedBytes) {
        reserved.set(reservedBytes);
        refuseUnread(Refusal.bodyUnread(status, sentence));
    }

    @Override
    public void gone(Throwable cause, long reservedBytes) {
        reserved.set(reservedBytes);
        if (ended.compareAndSet(false, true)) {
            release();
            parts.metrics().lost();
            callback.failed(cause);
        }
    }

    @Override
    public void whole(ByteBuffer body, long reservedBytes) {
        reserved.set(reservedBytes);
        Admitted known = admitted;
        if (known == null) {
            throw new IllegalStateException("a body before its headers");
        }
        OperationMetrics.@Nullable Mark mark = OperationMetrics.mark(request.getHeadersNanoTime());
        try {
            long start = parts.ticker().nanos();
            Authenticator.verifyBody(known.signed, RequestSignature.md5(body));
            parts.metrics().authenticated(authenticationNanos + parts.ticker().nanos() - start);
            CompletionStage<ServiceAnswer> answer = parts.services()
                    .call(new ServiceRequest(
                            known.service,
                            known.encoding,
                            body,
                            known.principal,
                            SignedHeaders.client(request),
                            request.getHeadersNanoTime()));
            seenCpuNanos = OperationMetrics.cpuSince(mark);
            answer(known, answer);
        } catch (AuthenticationException e) {
            refuse(Refusal.of(e.status(), e.sentence()));
        } catch (BadRequestException e) {
            refuse(Refusal.of(400, String.valueOf(e.getMessage())));
        } catch (RuntimeException e) {
            failed(e);
        }
    }

    private void answer(Admitted known, CompletionStage<ServiceAnswer> stage) {
        if (parts.blocking()) {
            awaitInPlace(stage);
        }
        var unused = stage.whenComplete((answer, error) -> {
            if (error == null) {
                write(known.encoding, answer);
            } else {
                failed(error);
            }
        });
    }

    /** Holds this worker until the answer is there: the experiment of how that costs. */
    private static void awaitInPlace(CompletionStage<ServiceAnswer> stage) {
        try {
            stage.toCompletableFuture().get(FrontEnd.LONGEST_CALL_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            LOG.debug("told when the answer is written", e);
        }
    }

    private void write(ThriftEncoding encoding, ServiceAnswer answer) {
        long length = 0;
        for (ByteBuffer each : answer.body()) {
            length += each.remaining();
        }
        if (!reserveAnswer(length)) {
            answer.delivery().ended(false);
            refuse(Refusal.of(FrontEnd.UNAVAILABLE, "The server has no memory for the answer now."));
            return;
        }
        if (!ended.compareAndSet(false, true)) {
            release();
            answer.delivery().ended(false);
            return;
        }
        OperationMetrics.@Nullable Mark mark = OperationMetrics.markAgain(seenCpuNanos);
        response.setStatus(200);
        response.getHeaders().put(FrontEnd.CONTENT_TYPES.get(encoding));
        response.getHeaders().put(HttpHeader.CONTENT_LENGTH, length);
        AnswerWriter.write(
                response,
                answer.body(),
                length,
                Callback.from(
                        parts.invocation(), () -> written(answer, mark), cause -> lost(answer.delivery(), cause)));
    }

    /** Large answers count, until their client has read them; a put that is stored is never kept from its answer. */
    private boolean reserveAnswer(long length) {
        if (length < ACCOUNTED_ANSWER_BYTES) {
            return true;
        }
        if (!parts.budget().tryReserve(length)) {
            return false;
        }
        reserved.addAndGet(length);
        return true;
    }

    /** The mark is where the writing began. */
    private void written(ServiceAnswer answer, OperationMetrics.@Nullable Mark mark) {
        release();
        long more = OperationMetrics.cpuSince(mark);
        parts.metrics()
                .answered(
                        answer.operation(),
                        parts.ticker().nanos() - request.getHeadersNanoTime(),
                        more == OperationMetrics.NOT_SEEN ? more : seenCpuNanos + more);
        try {
            answer.delivery().ended(true);
        } finally {
            callback.succeeded();
        }
    }

    private void lost(Delivery delivery, Throwable cause) {
        release();
        delivery.ended(false);
        parts.metrics().lost();
        callback.failed(cause);
    }

    private void failed(Throwable cause) {
        LOG.atError()
                .addKeyValue("request", SignedHeaders.client(request).requestId())
                .addKeyValue("path", request.getHttpURI().getPath())
                .setCause(cause)
                .log("request failed");
        refuse(Refusal.of(500, "The server failed; whether the request took effect is not known."));
    }

    private void refuse(Refusal refusal) {
        if (!ended.compareAndSet(false, true)) {
            return;
        }
        parts.metrics().refused();
        release();
        Refusals.write(parts.clock(), response, refusal, callback);
    }

    private void release() {
        long bytes = reserved.getAndSet(0);
        if (bytes > 0) {
            parts.budget().release(bytes);
        }
    }
}
