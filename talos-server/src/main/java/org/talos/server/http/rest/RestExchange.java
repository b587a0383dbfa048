// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest;

import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpHeaderValue;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.IteratingCallback;
import org.jspecify.annotations.Nullable;
import org.talos.common.auth.RequestSignature;
import org.talos.common.error.Effect;
import org.talos.common.error.TalosException;
import org.talos.server.auth.AuthenticationException;
import org.talos.server.auth.Authenticator;
import org.talos.server.auth.Principal;
import org.talos.server.auth.SessionTokens.Session;
import org.talos.server.http.CrossOrigins;
import org.talos.server.http.HttpExchange;
import org.talos.server.http.HttpPort;
import org.talos.server.http.SignedHeaders;
import org.talos.server.http.client.RequestClient;
import org.talos.server.http.rest.json.Json;
import org.talos.server.http.rest.json.Problem;
import org.talos.server.http.rest.json.ProblemException;
import org.talos.server.http.rest.stream.LineSink;
import org.talos.server.http.rest.stream.LineStream;
import org.talos.server.http.rest.stream.OpenStreams;
import org.talos.server.http.rest.stream.StreamSource;
import org.talos.server.http.rest.stream.StreamedAnswer;
import org.talos.server.memory.RequestMemory;
import org.talos.server.metrics.Operation;
import org.talos.server.runtime.client.Presence;
import org.talos.server.service.Operations;
import org.talos.server.service.call.CallContext;

/**
 * The exchange of a REST request: finds its route, checks its credentials, and lets the route's resource answer it, or
 * hands it to a stream if its body or its answer has no end.
 *
 * <p>Confined up to {@link #run}, thread-safe from there on, as every exchange.
 */
final class RestExchange implements HttpExchange.Protocol<RestAnswer> {
    private static final Pattern REQUEST_ID = Pattern.compile("[A-Za-z0-9._-]{1,64}");
    private static final String REQUEST_ID_HEADER = "X-Request-Id";
    private static final int ACCOUNTED_BODY_BYTES = 16 << 10;
    /** The bound for the empty object that some clients send where no body is needed. */
    private static final int EMPTY_OBJECT_BYTES = 64;

    /** The bound of a body without a key, as its memory is that of all others. */
    private static final int SECRETS_BYTES = 4 << 10;

    private final HttpPort.Parts parts;
    private final Request request;
    private final Response response;
    private final HttpExchange<RestAnswer> exchange;
    private final Operations operations;
    private final Credentials credentials;
    private final Router router;
    private final OpenStreams streams;
    private final String requestId;
    private final RequestProblems problems;
    private Router.@Nullable Match match; // from the checks on
    private Credentials.@Nullable Caller caller; // from the checks on, if the route asks for one

    RestExchange(
            HttpPort.Parts parts,
            Operations operations,
            Credentials credentials,
            Router router,
            OpenStreams streams,
            Request request,
            Response response,
            Callback callback) {
        this.parts = parts;
        this.request = request;
        this.response = response;
        exchange = new HttpExchange<>(parts, request, response, callback, this);
        this.operations = operations;
        this.credentials = credentials;
        this.router = router;
        this.streams = streams;
        requestId = requestId(request);
        problems = new RequestProblems(requestId);
    }

    private static String requestId(Request request) {
        String given = request.getHeaders().get(REQUEST_ID_HEADER);
        return given != null && REQUEST_ID.matcher(given).matches()
                ? given
                : HexFormat.of().toHexDigits(UUID.randomUUID().getLeastSignificantBits());
    }

    /**
     * Checks the head and continues to the body.
     *
     * @param path as it was sent
     */
    void begin(String path) {
        try {
            check(path);
        } catch (RuntimeException | Error e) {
            exchange.giveUp(e);
        }
    }

    private void check(String path) {
        try {
            if (CrossOrigins.isPreflight(request, response)) {
                answer(Preflight.answer(request.getHeaders(), router.methods(path)));
                return;
            }
            Router.Match found = router.find(request.getMethod(), path);
            match = found;
            authenticate(found);
            if (found.route().lines().isPresent() && isOf(LineStream.CONTENT_TYPE)) {
                takeLines(found, found.route().lines().get());
            } else if (isTunnel()) {
                exchange.leaveBody();
            } else {
                readBody(found.route().body());
            }
        } catch (Router.MethodNotAllowed e) {
            response.getHeaders().put(HttpHeader.ALLOW, e.allowed());
            String detail = "this method is not allowed here; allowed: " + e.allowed();
            refuseUnread(Problem.refused(405, "method-not-allowed", detail));
        } catch (AuthenticationException e) {
            HttpPort.markUnlessAGuess(request, e);
            refuseUnread(problems.apply(e), !e.mayBeAGuess());
        } catch (ProblemException | TalosException e) {
            refuseUnread(problems.apply(e));
        }
    }

    private void authenticate(Router.Match found) throws AuthenticationException {
        Credentials.Caller known = caller(found);
        if (known != null) {
            caller = known;
            exchange.sentBy(known.principal());
            credentials.checkDigest(request, found.route(), known);
        } else if (found.route().body() == Route.Body.SECRETS) {
            exchange.signsIn();
        }
    }

    private Credentials.@Nullable Caller caller(Router.Match found) throws AuthenticationException {
        return switch (found.route().sender()) {
            case ANYBODY -> null;
            case KNOWN -> credentials.check(request);
            case KNOWN_IF_ANY -> credentials.checkIfAny(request);
            case KNOWN_BY_TOKEN ->
                credentials.checkWithToken(request, found.variables().get(0));
        };
    }

    /** Returns whether no body follows the head, nor an end of one: an extended CONNECT over HTTP/2. */
    private boolean isTunnel() {
        return HttpMethod.CONNECT.is(request.getMethod());
    }

    private boolean isOf(String wanted) {
        String type = request.getHeaders().get(HttpHeader.CONTENT_TYPE);
        return type != null && type.split(";", 2)[0].strip().equalsIgnoreCase(wanted);
    }

    /**
     * Hands the body to a stream. No signature is possible: it is over the digest of a body that does not exist yet.
     */
    private void takeLines(Router.Match found, Function<RestRequest, LineSink> lines) throws AuthenticationException {
        if (caller == null || caller.signed() != null) {
            throw ProblemException.badRequest("a stream of lines cannot be signed: use key and secret");
        }
        if (!encoding().isEmpty()) {
            throw ProblemException.refused(415, "unsupported-encoding", "a stream of lines is not encoded");
        }
        if (!exchange.memory().tryReserve(exchange.requestBytes())) {
            throw ProblemException.refused(503, "no-memory", "the server has no memory for more requests of yours now");
        }
        LineSink sink = lines.apply(restRequest(found, ByteBuffer.allocate(0)));
        LineStream stream = new LineStream(new LineStream.Parts(
                request,
                response,
                exchange.streamCallback(),
                sink,
                laterContexts(Presence.UNSEEN),
                exchange.continuation() == null ? null : exchange.turns(),
                exchange.heavy(),
                streams,
                exchange.memory().share(),
                parts.config().maxBodyBytes(),
                problems));
        streams.add(stream, sender().userId());
        start(stream, 200, RestAnswer.streamHeaders(LineStream.CONTENT_TYPE));
    }

    /** Starts a stream that has been added. */
    private <S extends IteratingCallback & OpenStreams.Stream> void start(
            S stream, int status, Map<String, String> headers) {
        boolean started = false;
        try {
            if (exchange.tryEnd().isPresent()) {
                head(status, headers);
                started = true;
            }
        } finally {
            if (!started) {
                streams.remove(stream);
            }
        }
        if (started) {
            stream.iterate();
        }
    }

    /** Contexts for work that begins later, when the request may be over. */
    private Supplier<CallContext> laterContexts(Presence presence) {
        return new LaterContexts(
                operations,
                parts,
                sender(),
                session(),
                SignedHeaders.client(request),
                exchange.continuation(),
                presence,
                exchange.memory(),
                exchange.trace());
    }

    private @Nullable Session session() {
        return caller == null ? null : caller.session();
    }

    private Principal sender() {
        return caller == null ? Principal.NOBODY : caller.principal();
    }

    private RestRequest restRequest(Router.Match found, ByteBuffer body) throws AuthenticationException {
        Query query = Query.of(request.getHttpURI().getQuery(), found.route().parameters());
        CallContext context = context(body);
        ByteBuffer plain = plain(found.route().body(), body);
        if (found.route().body() == Route.Body.NONE) {
            Json.readObjectIfAny(plain).end();
        }
        if (isOf(RestAnswer.JSON) && plain.remaining() >= ACCOUNTED_BODY_BYTES) {
            BodyMemory.reserveTree(exchange.memory(), plain);
        }
        return new RestRequest(
                operations,
                parts.tokens(),
                new SessionScope(parts.sessions(), parts.authenticator(), credentials, request, session()),
                exchange.memory(),
                context,
                laterContexts(exchange.presence()),
                exchange.heavy(),
                RequestClient.address(request),
                parts.clock().millis(),
                found.variables(),
                query,
                new RequestHeaders(request.getHeaders()),
                plain);
    }

    /** The content encoding of the body; empty without one. */
    private String encoding() {
        return String.join(",", request.getHeaders().getValuesList(HttpHeader.CONTENT_ENCODING));
    }

    /** The size of a few encoded bytes is known only once they have been decoded. */
    @Override
    public boolean isHeavy(ByteBuffer body) {
        return body.hasRemaining() && !encoding().isEmpty();
    }

    private long limit(Route.Body body) {
        return switch (body) {
            case NONE, UPGRADE -> isRead() ? 0 : EMPTY_OBJECT_BYTES;
            case SECRETS -> SECRETS_BYTES;
            case SMALL -> parts.config().maxControlBodyBytes();
            case MESSAGES -> parts.config().maxBodyBytes();
        };
    }

    /** Returns whether it is a GET or a HEAD, with whose body no two programs do the same. */
    private boolean isRead() {
        return request.getMethod().equals("GET") || request.getMethod().equals("HEAD");
    }

    private void readBody(Route.Body body) {
        long limit = limit(body);
        if (request.getLength() > limit) {
            if (body == Route.Body.NONE || body == Route.Body.UPGRADE) {
                throw ProblemException.badRequest(
                        isRead() ? "a GET with a body (expected: no body)" : "a body (expected: no body, or {})");
            }
            throw ProblemException.refused(413, "request-too-large", "the body is larger than " + limit + " bytes");
        }
        String encoding = encoding();
        if (!encoding.isEmpty() && !BodyInflater.knows(encoding)) {
            throw ProblemException.refused(415, "unsupported-encoding", "only gzip and zstd are read, one of them");
        }
        exchange.readBody(limit, encoding.isEmpty() ? room(body) : 0);
    }

    @Override
    public void refuseBody(int status, String sentence) {
        String code = switch (status) {
            case 413 -> "request-too-large";
            case 408 -> "request-too-slow";
            default -> "no-memory";
        };
        refuseUnread(Problem.refused(status, code, sentence));
    }

    @Override
    public void refuseAnswer() {
        refuse(new Problem(
                503,
                "no-memory",
                "the server has no memory for the answer now",
                isRead() ? Effect.NONE : Effect.UNKNOWN));
    }

    @Override
    public CompletionStage<RestAnswer> run(ByteBuffer body) throws AuthenticationException {
        Router.Match found = match;
        if (found == null) {
            throw new IllegalStateException("a body before its route");
        }
        return found.route().resource().answer(restRequest(found, body));
    }

    @Override
    public void fail(Throwable cause) {
        if (cause instanceof AuthenticationException e) {
            HttpPort.markUnlessAGuess(request, e);
        }
        refuse(problems.apply(cause));
    }

    private static int room(Route.Body body) {
        return body == Route.Body.MESSAGES ? RawMessage.ROOM_BYTES : 0;
    }

    private ByteBuffer plain(Route.Body kind, ByteBuffer body) {
        String encoding = encoding();
        if (encoding.isEmpty() || !body.hasRemaining()) {
            return body;
        }
        return new BodyInflater(limit(kind), room(kind), BodyMemory.reserving(exchange.memory()))
                .inflate(encoding, body);
    }

    private CallContext context(ByteBuffer body) throws AuthenticationException {
        Credentials.Caller sender = caller;
        if (sender != null && sender.signed() != null) {
            Authenticator.verifyBody(sender.signed(), RequestSignature.md5(body));
        }
        return operations
                .requests()
                .begin(
                        sender(),
                        parts.known(sender(), session()),
                        SignedHeaders.client(request),
                        request.getHeadersNanoTime(),
                        exchange.continuation(),
                        exchange.presence(),
                        exchange.memory());
    }

    private void refuseUnread(Problem problem) {
        refuseUnread(problem, caller != null);
    }

    /** Refuses a request whose body is not read; if its sender holds a key, the body is discarded first. */
    private void refuseUnread(Problem problem, boolean ofKeyHolder) {
        boolean listens = ofKeyHolder
                && !isTunnel()
                && problem.status() != HttpStatus.REQUEST_TIMEOUT_408
                && !request.getHeaders().contains(HttpHeader.EXPECT);
        if (!listens) {
            refuse(problem, isTunnel() || request.getLength() == 0);
            return;
        }
        exchange.discardBody(ended -> refuse(problem, ended));
    }

    private void refuse(Problem problem, boolean bodyRead) {
        if (!bodyRead) {
            response.getHeaders().put(HttpHeader.CONNECTION, HttpHeaderValue.CLOSE);
        }
        refuse(problem);
    }

    private void refuse(Problem problem) {
        parts.metrics().refused();
        parts.metrics().failed(problem.status() >= HttpStatus.INTERNAL_SERVER_ERROR_500);
        RestAnswer answer = RestAnswer.bytes(
                problem.status(),
                Problem.CONTENT_TYPE,
                List.of(ByteBuffer.wrap(Json.write(problem.toJson(requestId)))));
        if (problem.status() == 401) {
            answer = answer.with("WWW-Authenticate", credentials.challenge(request));
            answer = credentials.hasSession(request) ? SessionScope.forgetting(answer) : answer;
        }
        if (problem.status() == 429 || problem.status() == 503) {
            answer = answer.with("Retry-After", Long.toString(problem.retryAfterSeconds()));
        }
        if (problem.status() == 401 || problem.status() == 412) {
            answer = answer.with(
                    RequestSignature.TIMESTAMP,
                    Long.toString(parts.clock().instant().getEpochSecond()));
        }
        answer(answer);
    }

    private void stream(RestAnswer answer, StreamSource source) {
        RequestMemory memory = exchange.memory();
        StreamedAnswer stream = new StreamedAnswer(
                response, exchange.streamCallback(), source, streams, memory.share(), problems, exchange.heavy());
        try {
            streams.add(stream, sender().userId());
        } catch (ProblemException e) {
            refuse(e.problem());
            return;
        }
        memory.releaseAll();
        memory.take(exchange.requestBytes()); // so far the memory was reserved for the opening
        start(stream, answer.status(), answer.headers());
    }

    private void upgrade(Upgrade upgrade) {
        UpgradeAnswer answer;
        try {
            Upgrade.Ground ground = new Upgrade.Ground(
                    parts,
                    laterContexts(Presence.UNSEEN),
                    problems,
                    exchange.lentBuffers(),
                    exchange.continuation(),
                    exchange.turns());
            answer = UpgradeAnswer.of(
                    upgrade.open(ground, request),
                    sender().userId(),
                    parts,
                    streams,
                    exchange.memory(),
                    exchange.requestBytes());
        } catch (ProblemException e) {
            refuse(e.problem());
            return;
        }
        exchange.readOnSelector();
        answer.write(request, response, exchange::tryEnd, () -> head(HttpStatus.SWITCHING_PROTOCOLS_101, Map.of()));
    }

    private void head(int status, Map<String, String> headers) {
        response.setStatus(status);
        SessionScope.renew(parts.sessions(), session(), request, response);
        headers.forEach((name, value) -> response.getHeaders().put(name, value));
        response.getHeaders().put(REQUEST_ID_HEADER, requestId);
        response.getHeaders().put("X-Content-Type-Options", "nosniff");
    }

    @Override
    public void answer(RestAnswer answer) {
        if (answer.upgrade().isPresent()) {
            upgrade(answer.upgrade().get());
            return;
        }
        if (answer.stream().isPresent() && !request.getMethod().equals("HEAD")) {
            stream(answer, answer.stream().get());
            return;
        }
        Operation operation = match == null ? Operation.OTHER : match.route().operation();
        exchange.write(answer.body(), answer.delivery(), operation, () -> head(answer.status(), answer.headers()));
    }
}
