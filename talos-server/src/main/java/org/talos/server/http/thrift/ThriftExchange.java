// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.thrift;

import java.nio.ByteBuffer;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.http.PreEncodedHttpField;
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
import org.talos.server.http.HttpExchange;
import org.talos.server.http.HttpPort;
import org.talos.server.http.Refusal;
import org.talos.server.http.Refusals;
import org.talos.server.http.SignedHeaders;
import org.talos.server.http.body.Bytes;
import org.talos.server.metrics.Operation;
import org.talos.server.service.call.BadRequestException;
import org.talos.server.service.call.KnownCaller;
import org.talos.server.service.call.ServiceAnswer;
import org.talos.server.service.call.ServiceName;
import org.talos.server.service.call.ServiceRequest;

/**
 * The exchange of a signed Thrift call: checks its head in the order that gives least away and reads least.
 *
 * <p>Confined up to {@link #run}, thread-safe from there on, as every exchange.
 */
final class ThriftExchange implements HttpExchange.Protocol<ServiceAnswer> {
    private static final Logger LOG = LoggerFactory.getLogger(ThriftExchange.class);
    private static final Map<ThriftEncoding, HttpField> CONTENT_TYPES = contentTypes();

    private final HttpPort.Parts parts;
    private final Request request;
    private final Response response;
    private final HttpExchange<ServiceAnswer> exchange;
    private @Nullable Admitted admitted; // from the checks on
    private long authenticationNanos;
    private Operation answered = Operation.OTHER; // effect of the request; confined to the answering thread

    ThriftExchange(HttpPort.Parts parts, Request request, Response response, Callback callback) {
        this.parts = parts;
        this.request = request;
        this.response = response;
        exchange = new HttpExchange<>(parts, request, response, callback, this);
    }

    /** The facts that are known once the head has been checked. Immutable. */
    private record Admitted(
            ServiceName service, ThriftEncoding encoding, SignedRequest signed, Principal principal, long limit) {}

    void begin() {
        try {
            Admitted checked = admit();
            admitted = checked;
            exchange.readBody(checked.limit, 0);
        } catch (Refused e) {
            refuseSafely(e.refusal, e.refusal.status() == HttpStatus.UNSUPPORTED_MEDIA_TYPE_415);
        } catch (AuthenticationException e) {
            HttpPort.markUnlessAGuess(request, e);
            refuseSafely(Refusal.bodyUnread(e.status(), e.sentence()), !e.mayBeAGuess());
        } catch (RuntimeException | Error e) {
            exchange.giveUp(e);
        }
    }

    private void refuseSafely(Refusal refusal, boolean ofKeyHolder) {
        try {
            refuseUnread(refusal, ofKeyHolder);
        } catch (RuntimeException | Error e) {
            exchange.giveUp(e);
        }
    }

    /**
     * Refuses a request without reading its body. If its sender holds a key, the body is discarded first: a client sets
     * its clock by the 412 of a large put.
     */
    private void refuseUnread(Refusal refusal, boolean ofKeyHolder) {
        if (!ofKeyHolder || request.getHeaders().contains(HttpHeader.EXPECT)) {
            refuse(refusal);
            return;
        }
        exchange.discardBody(ended -> refuse(refusal.with(ended)));
    }

    /** A check that failed. Immutable. */
    private static final class Refused extends Exception {
        private final transient Refusal refusal;

        Refused(int status, String sentence) {
            super(sentence, null, false, false);
            refusal = Refusal.bodyUnread(status, sentence);
        }
    }

    private Admitted admit() throws Refused, AuthenticationException {
        String path = request.getHttpURI().getPath();
        Optional<ServiceName> service = ServiceName.atPath(path == null ? "" : path);
        long limit = service.isPresent() && service.get() == ServiceName.MESSAGE
                ? parts.config().maxBodyBytes()
                : parts.config().maxControlBodyBytes();
        if (request.getLength() > limit) {
            throw new Refused(HttpPort.TOO_LARGE, "The body is larger than " + limit + " bytes.");
        }
        if (service.isEmpty()) {
            throw new Refused(404, "Nothing is here.");
        }
        if (!request.getMethod().equals("POST")) {
            response.getHeaders().put(HttpHeader.ALLOW, "POST");
            throw new Refused(405, "Calls are sent with POST.");
        }
        long start = parts.ticker().nanos();
        SignedRequest signed = SignedHeaders.of(request, service.get().path());
        Principal principal = parts.authenticator().authenticate(signed);
        exchange.sentBy(principal);
        Authenticator.checkDigest(signed);
        authenticationNanos = parts.ticker().nanos() - start;
        return new Admitted(service.get(), encoding(), signed, principal, limit);
    }

    private static Map<ThriftEncoding, HttpField> contentTypes() {
        Map<ThriftEncoding, HttpField> types = new EnumMap<>(ThriftEncoding.class);
        for (ThriftEncoding encoding : ThriftEncoding.values()) {
            types.put(encoding, new PreEncodedHttpField(HttpHeader.CONTENT_TYPE, encoding.contentType()));
        }
        return Map.copyOf(types);
    }

    private ThriftEncoding encoding() throws Refused {
        HttpFields headers = request.getHeaders();
        if (headers.contains(HttpHeader.CONTENT_ENCODING)) {
            throw new Refused(415, "Bodies of calls are not encoded.");
        }
        String type = headers.get(HttpHeader.CONTENT_TYPE);
        return ThriftEncoding.fromContentType(type == null ? "" : type)
                .orElseThrow(() ->
                        new Refused(415, "The content type is none of Thrift: send application/x-thrift-compact."));
    }

    private Admitted admitted() {
        if (admitted == null) {
            throw new IllegalStateException("a body before its head");
        }
        return admitted;
    }

    @Override
    public CompletionStage<ServiceAnswer> run(ByteBuffer body) throws AuthenticationException, BadRequestException {
        Admitted checked = admitted();
        long start = parts.ticker().nanos();
        Authenticator.verifyBody(checked.signed, RequestSignature.md5(body));
        parts.metrics().authenticated(authenticationNanos + parts.ticker().nanos() - start);
        KnownCaller caller =
                new KnownCaller(checked.principal, parts.known(checked.principal, null), SignedHeaders.client(request));
        return parts.services()
                .call(new ServiceRequest(
                        checked.service,
                        new ServiceRequest.EncodedCall(checked.encoding, body),
                        caller,
                        request.getHeadersNanoTime(),
                        exchange.continuation(),
                        exchange.presence(),
                        exchange.memory()));
    }

    @Override
    public void answer(ServiceAnswer answer) {
        answered = answer.operation();
        exchange.write(new Bytes(answer.body()), answer.delivery(), answer.operation(), () -> {
            response.setStatus(200);
            response.getHeaders().put(CONTENT_TYPES.get(admitted().encoding));
        });
    }

    @Override
    public void refuseBody(int status, String sentence) {
        boolean hasEnd = status == HttpPort.TOO_LARGE && request.getLength() > 0; // one that never fits
        refuseUnread(Refusal.bodyUnread(status, sentence), hasEnd || status == HttpPort.UNAVAILABLE);
    }

    @Override
    public void refuseAnswer() {
        // A 503 says that nothing happened: of a call that may have changed something that is not true any more.
        refuse(
                answered == Operation.GET
                        ? Refusal.of(HttpPort.UNAVAILABLE, "The server has no memory for the answer now.")
                        : Refusal.of(500, Refusals.FAILED));
    }

    @Override
    public void fail(Throwable cause) {
        if (cause instanceof AuthenticationException e) {
            HttpPort.markUnlessAGuess(request, e);
            refuse(Refusal.of(e.status(), e.sentence()));
        } else if (cause instanceof BadRequestException) {
            refuse(Refusal.of(400, String.valueOf(cause.getMessage())));
        } else {
            LOG.atError()
                    .addKeyValue("request", SignedHeaders.client(request).requestId())
                    .addKeyValue("path", request.getHttpURI().getPath())
                    .setCause(cause)
                    .log("request failed");
            refuse(Refusal.of(500, Refusals.FAILED));
        }
    }

    private void refuse(Refusal refusal) {
        Optional<Callback> ending = exchange.tryEnd();
        if (ending.isPresent()) {
            parts.metrics().refused();
            parts.metrics().failed(refusal.status() >= HttpStatus.INTERNAL_SERVER_ERROR_500);
            exchange.memory().close();
            Refusals.write(parts.clock(), response, refusal, ending.get());
        }
    }
}
