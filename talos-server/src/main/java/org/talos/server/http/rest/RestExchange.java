// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest;

import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpHeaderValue;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.common.auth.RequestSignature;
import org.talos.common.error.Effect;
import org.talos.common.error.TalosException;
import org.talos.server.auth.AuthenticationException;
import org.talos.server.auth.Authenticator;
import org.talos.server.auth.Principal;
import org.talos.server.http.AnswerWriter;
import org.talos.server.http.BodyDiscard;
import org.talos.server.http.BodyPace;
import org.talos.server.http.BodyReader;
import org.talos.server.http.FrontEnd;
import org.talos.server.http.SignedHeaders;
import org.talos.server.http.rest.json.Json;
import org.talos.server.http.rest.json.Problem;
import org.talos.server.http.rest.json.ProblemException;
import org.talos.server.http.rest.stream.LineSink;
import org.talos.server.http.rest.stream.LineStream;
import org.talos.server.http.rest.stream.OpenStreams;
import org.talos.server.http.rest.stream.StreamSource;
import org.talos.server.http.rest.stream.StreamedAnswer;
import org.talos.server.metrics.Operation;
import org.talos.server.metrics.OperationMetrics;
import org.talos.server.service.Operations;
import org.talos.server.service.call.CallContext;
import org.talos.server.service.call.ServiceAnswer.Delivery;

/**
 * One REST request on its way: route, credentials, body, resource, answer. Ends once, and gives its memory back once.
 *
 * <p>Thread-safe where it is called from another thread: the end.
 */
final class RestExchange implements BodyReader.Listener {
    private static final Logger LOG = LoggerFactory.getLogger(RestExchange.class);
    private static final Pattern REQUEST_ID = Pattern.compile("[A-Za-z0-9._-]{1,64}");
    private static final String REQUEST_ID_HEADER = "X-Request-Id";
    private static final String CHALLENGE = "Basic realm=\"talos\", charset=\"UTF-8\"";

    private static final int ACCOUNTED_ANSWER_BYTES = 16 << 10;
    private static final int ACCOUNTED_BODY_BYTES = 16 << 10;

    private final FrontEnd.Parts parts;
    private final Operations operations;
    private final Credentials credentials;
    private final Router router;
    private final OpenStreams streams;
    private final Request request;
    private final Response response;
    private final Callback callback;
    private final String requestId;
    private final AtomicBoolean ended = new AtomicBoolean();
    private final RequestMemory memory;
    private volatile long seenCpuNanos = OperationMetrics.NOT_SEEN;
    private Router.@Nullable Match match; // from the checks on
    private Credentials.@Nullable Known known; // the same, unless anybody may ask

    RestExchange(
            FrontEnd.Parts parts,
            Operations operations,
            Credentials credentials,
            Router router,
            OpenStreams streams,
            Request request,
            Response response,
            Callback callback) {
        this.parts = parts;
        this.operations = operations;
        this.credentials = credentials;
        this.router = router;
        this.streams = streams;
        this.request = request;
        this.response = response;
        this.callback = callback;
        memory = new RequestMemory(parts.budget());
        requestId = requestId(request);
    }

    private static String requestId(Request request) {
        String given = request.getHeaders().get(REQUEST_ID_HEADER);
        return given != null && REQUEST_ID.matcher(given).matches()
                ? given
                : HexFormat.of().toHexDigits(UUID.randomUUID().getLeastSignificantBits());
    }

    /** With the path as it was sent. */
    void begin(String path) {
        try {
            Router.Match found = router.find(request.getMethod(), path);
            match = found;
            if (!found.route().open()) {
                known = credentials.check(request);
            }
            if (found.route().lines().isPresent() && isOfLines()) {
                takeLines(found, found.route().lines().get());
            } else {
                readBody(found.route().body());
            }
        } catch (ProblemException e) {
            refuseUnread(e.problem());
        } catch (TalosException e) {
            refuseUnread(problem(e));
        } catch (Router.MethodNotAllowed e) {
            response.getHeaders().put(HttpHeader.ALLOW, e.allowed());
            refuseUnread(Problem.refused(405, "method-not-allowed", "here are " + e.allowed()));
        } catch (AuthenticationException e) {
            refuseUnread(ofAuthentication(e));
        }
    }

    private boolean isOfLines() {
        return isOf(LineStream.CONTENT_TYPE);
    }

    private boolean isJson() {
        return isOf(RestAnswer.JSON);
    }

    private boolean isOf(String wanted) {
        String type = request.getHeaders().get(HttpHeader.CONTENT_TYPE);
        return type != null && type.split(";", 2)[0].strip().equalsIgnoreCase(wanted);
    }

    /** A signature is over the digest of a body that is not there yet. */
    private void takeLines(Router.Match found, Function<RestRequest, LineSink> lines) throws AuthenticationException {
        Credentials.Known caller = known;
        if (caller == null || caller.signed() != null) {
            throw ProblemException.badRequest("a stream of lines can't be signed: use key and secret");
        }
        if (!encoding().isEmpty()) {
            throw ProblemException.refused(415, "unsupported-encoding", "a stream of lines is not encoded");
        }
        LineSink sink = lines.apply(asked(found, ByteBuffer.allocate(0)));
        LineStream stream = new LineStream(new LineStream.Parts(
                request,
                response,
                counted(),
                sink,
                this::laterContext,
                streams,
                parts.budget(),
                parts.config().maxBodyBytes(),
                this::problem));
        streams.add(stream);
        if (ended.compareAndSet(false, true)) {
            head(200, Map.of("Content-Type", LineStream.CONTENT_TYPE));
            stream.iterate();
        }
    }

    /** The callback of a request without an end. */
    private Callback counted() {
        return Callback.from(
                parts.invocation(),
                callback::succeeded, // how long it was open says nothing of the server
                cause -> {
                    parts.metrics().lost();
                    callback.failed(cause);
                });
    }

    private CallContext laterContext() {
        Principal principal;
        try {
            principal = known == null ? Principal.NOBODY : parts.authenticator().stillKnown(known.principal());
        } catch (AuthenticationException e) {
            throw new ProblemException(ofAuthentication(e));
        }
        return operations.begin(
                principal, SignedHeaders.client(request), parts.ticker().nanos());
    }

    private RestRequest asked(Router.Match found, ByteBuffer body) throws AuthenticationException {
        Query query =
                Query.of(Request.extractQueryParameters(request), found.route().parameters());
        CallContext context = context(body);
        ByteBuffer plain = plain(found.route().body(), body);
        if (isJson() && plain.remaining() >= ACCOUNTED_BODY_BYTES) {
            memory.reserve((long) plain.remaining() * Json.COPIES);
        }
        return new RestRequest(
                operations,
                memory,
                context,
                this::laterContext,
                Request.getRemoteAddr(request),
                parts.clock().millis(),
                found.variables(),
                query,
                request.getHeaders(),
                plain);
    }

    private static Problem ofAuthentication(AuthenticationException e) {
        String code = e.status() == AuthenticationException.CLOCK_TOO_SKEWED ? "clock-too-skewed" : "invalid-auth";
        return Problem.refused(e.status(), code, e.sentence());
    }

    /** How the body is encoded; empty if it is not. */
    private String encoding() {
        return String.join(",", request.getHeaders().getValuesList(HttpHeader.CONTENT_ENCODING));
    }

    private long limit(Route.Body body) {
        return switch (body) {
            case NONE -> 0;
            case SMALL -> parts.config().maxControlBodyBytes();
            case MESSAGES -> parts.config().maxBodyBytes();
        };
    }

    private void readBody(Route.Body body) {
        long limit = limit(body);
        if (request.getLength() > limit) {
            throw ProblemException.refused(413, "request-too-large", "the body is larger than " + limit + " bytes");
        }
        String encoding = encoding();
        if (!encoding.isEmpty() && !BodyInflater.knows(encoding)) {
            throw ProblemException.refused(415, "unsupported-encoding", "only gzip and zstd are read, one of them");
        }
        BodyPace pace = new BodyPace(
                parts.config().minBodyBytesPerSecond(),
                parts.config().bodyGrace(),
                request.getHeadersNanoTime(),
                parts.ticker());
        int room = encoding.isEmpty() ? room(body) : 0;
        new BodyReader(request, request.getLength(), limit, room, parts.budget(), pace, parts.invocation(), this).run();
    }

    @Override
    public void refused(int status, String sentence, long reservedBytes) {
        memory.take(reservedBytes);
        String code = switch (status) {
            case 413 -> "request-too-large";
            case 408 -> "request-too-slow";
            default -> "no-memory";
        };
        refuseUnread(Problem.refused(status, code, sentence));
    }

    @Override
    public void gone(Throwable cause, long reservedBytes) {
        memory.take(reservedBytes);
        if (ended.compareAndSet(false, true)) {
            release();
            parts.metrics().lost();
            callback.failed(cause);
        }
    }

    @Override
    public void whole(ByteBuffer body, long reservedBytes) {
        memory.take(reservedBytes);
        Router.Match found = match;
        if (found == null) {
            throw new IllegalStateException("a body before its route");
        }
        OperationMetrics.@Nullable Mark mark = OperationMetrics.mark(request.getHeadersNanoTime());
        try {
            CompletionStage<RestAnswer> answer = found.route().resource().answer(asked(found, body));
            seenCpuNanos = OperationMetrics.cpuSince(mark);
            follow(answer);
        } catch (AuthenticationException e) {
            refuse(ofAuthentication(e));
        } catch (RuntimeException e) {
            refuse(problem(e));
        }
    }

    private static int room(Route.Body body) {
        return body == Route.Body.MESSAGES ? RawMessage.ROOM_BYTES : 0;
    }

    private ByteBuffer plain(Route.Body kind, ByteBuffer body) {
        String encoding = encoding();
        if (encoding.isEmpty() || !body.hasRemaining()) {
            return body;
        }
        return new BodyInflater(limit(kind), room(kind), memory::tryReserve).inflate(encoding, body);
    }

    private CallContext context(ByteBuffer body) throws AuthenticationException {
        Credentials.Known caller = known;
        if (caller != null && caller.signed() != null) {
            Authenticator.verifyBody(caller.signed(), RequestSignature.md5(body));
        }
        Principal principal = caller == null ? Principal.NOBODY : caller.principal();
        return operations.begin(principal, SignedHeaders.client(request), request.getHeadersNanoTime());
    }

    private void follow(CompletionStage<RestAnswer> stage) {
        var unused = stage.whenComplete((answer, thrown) -> {
            if (thrown == null) {
                write(answer);
            } else {
                refuse(problem(thrown));
            }
        });
    }

    private Problem problem(Throwable thrown) {
        Throwable cause =
                thrown instanceof CompletionException && thrown.getCause() != null ? thrown.getCause() : thrown;
        if (cause instanceof ProblemException known) {
            return known.problem();
        }
        if (cause instanceof TalosException known) {
            Problem problem = Problem.of(known);
            if (problem.status() == 500) {
                logFailure(cause);
            }
            return problem;
        }
        logFailure(cause);
        return new Problem(500, "internal-server-error", "the server failed", Effect.UNKNOWN);
    }

    private void logFailure(Throwable cause) {
        LOG.atError().addKeyValue("request", requestId).setCause(cause).log("request failed");
    }

    /** Who holds a key is answered when the body has passed, or would see a broken pipe and no status. */
    private void refuseUnread(Problem problem) {
        boolean listens = known != null
                && problem.status() != HttpStatus.REQUEST_TIMEOUT_408
                && !request.getHeaders().contains(HttpHeader.EXPECT);
        if (!listens) {
            refuse(problem, request.getLength() == 0);
            return;
        }
        release();
        new BodyDiscard(
                        request,
                        parts.config().maxBodyBytes(),
                        parts.invocation(),
                        whole -> refuse(problem, whole),
                        cause -> gone(cause, 0))
                .run();
    }

    private void refuse(Problem problem, boolean bodyRead) {
        if (!bodyRead) {
            response.getHeaders().put(HttpHeader.CONNECTION, HttpHeaderValue.CLOSE);
        }
        refuse(problem);
    }

    private void refuse(Problem problem) {
        parts.metrics().refused();
        RestAnswer answer = RestAnswer.bytes(
                problem.status(),
                Problem.CONTENT_TYPE,
                List.of(ByteBuffer.wrap(Json.write(problem.toJson(requestId)))));
        if (problem.status() == 401) {
            answer = answer.with("WWW-Authenticate", CHALLENGE);
        }
        if (problem.status() == 429 || problem.status() == 503) {
            answer = answer.with("Retry-After", Problem.RETRY_AFTER_SECONDS);
        }
        if (problem.status() == 401 || problem.status() == 412) {
            answer = answer.with(
                    RequestSignature.TIMESTAMP,
                    Long.toString(parts.clock().instant().getEpochSecond()));
        }
        write(answer);
    }

    /** Large answers count, until their client has read them; a put that is stored is never kept from its answer. */
    private boolean reserveAnswer(long length) {
        return length < ACCOUNTED_ANSWER_BYTES || memory.tryReserve(length);
    }

    private void stream(RestAnswer answer, StreamSource source) {
        StreamedAnswer stream = new StreamedAnswer(response, counted(), source, streams, parts.budget(), this::problem);
        try {
            streams.add(stream);
        } catch (ProblemException e) {
            refuse(e.problem());
            return;
        }
        if (ended.compareAndSet(false, true)) {
            release();
            head(answer.status(), answer.headers());
            stream.iterate();
        }
    }

    private void head(int status, Map<String, String> headers) {
        response.setStatus(status);
        headers.forEach((name, value) -> response.getHeaders().put(name, value));
        response.getHeaders().put(REQUEST_ID_HEADER, requestId);
        response.getHeaders().put("X-Content-Type-Options", "nosniff");
    }

    private void write(RestAnswer answer) {
        if (answer.stream().isPresent() && !request.getMethod().equals("HEAD")) {
            stream(answer, answer.stream().get());
            return;
        }
        if (!reserveAnswer(answer.length())) {
            answer.delivery().ended(false);
            refuse(Problem.refused(503, "no-memory", "the server has no memory for the answer now"));
            return;
        }
        if (!ended.compareAndSet(false, true)) {
            release();
            answer.delivery().ended(false);
            return;
        }
        OperationMetrics.@Nullable Mark mark = OperationMetrics.markAgain(seenCpuNanos);
        head(answer.status(), answer.headers());
        Callback end = Callback.from(
                parts.invocation(), () -> written(answer.delivery(), mark), cause -> lost(answer.delivery(), cause));
        if (answer.body().isEmpty()) {
            response.write(true, null, end);
            return;
        }
        response.getHeaders().put(HttpHeader.CONTENT_LENGTH, answer.length());
        AnswerWriter.write(response, answer.body(), answer.length(), end);
    }

    private void answered(long cpuNanos) {
        Router.Match found = match;
        Operation operation = found == null ? Operation.OTHER : found.route().operation();
        parts.metrics().answered(operation, parts.ticker().nanos() - request.getHeadersNanoTime(), cpuNanos);
    }

    /** The mark is where the writing began. */
    private void written(Delivery delivery, OperationMetrics.@Nullable Mark mark) {
        release();
        long more = OperationMetrics.cpuSince(mark);
        answered(more == OperationMetrics.NOT_SEEN ? more : seenCpuNanos + more);
        try {
            delivery.ended(true);
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

    private void release() {
        memory.close();
    }
}
