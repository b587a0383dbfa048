// SPDX-License-Identifier: Apache-2.0
package org.talos.client.transport;

import java.io.IOException;
import java.net.ConnectException;
import java.net.PasswordAuthentication;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import javax.net.ssl.SSLContext;
import org.apache.thrift.TBase;
import org.apache.thrift.TException;
import org.jspecify.annotations.Nullable;
import org.talos.client.transport.socket.Dialer;
import org.talos.client.transport.socket.LastingFault;
import org.talos.client.transport.socket.Wires;
import org.talos.common.Release;
import org.talos.common.auth.Authorization;
import org.talos.common.auth.Credential;
import org.talos.common.auth.RequestDigest;
import org.talos.common.auth.RequestSignature;
import org.talos.common.error.Effect;
import org.talos.common.error.ErrorTraits;
import org.talos.common.wire.Envelope;
import org.talos.common.wire.ThriftEncoding;
import org.talos.common.wire.Wire;
import org.talos.thrift.GalaxyTalosException;

/**
 * Signs calls, sends each to one server once, and reads the answer. Corrects the signed timestamp by the difference of
 * clocks that a server's refusal shows. Connections are pooled.
 *
 * <p>Thread-safe.
 */
public final class SignedCalls implements ServerCalls {
    private static final String USER_AGENT =
            "Talos-Java/" + Release.version() + " Java/" + Runtime.version().feature();
    private static final int SEQUENCE = 1;
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);
    /** The time for which the sender may fail first, because it knows the reason for a missing connection or answer. */
    private static final Duration GRACE = Duration.ofMillis(100);

    private static final int OK = 200;
    private static final int PROXY_ASKS = 407;
    private static final String LOGIN = "the proxy asks for a user and a password, or does not take them (expected:"
            + " ClientConfig.withProxyCredentials)";
    private static final int CLOCK_TOO_SKEWED = 412;
    private static final int TOO_MANY = 429;
    private static final int SERVER_FAILED = 500;
    private static final int OVERLOADED = 503;

    private final Credential credential;
    private final InstantSource clock;
    private final CallThreads threads = new CallThreads();
    private final Set<Exchange<?>> underWay = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;
    private final HttpPool http;
    private final Set<URI> reached = ConcurrentHashMap.newKeySet(); // servers that have answered something
    // By server: one with a wrong clock must not spoil the calls to the others.
    private final Map<URI, Long> clockOffsetSeconds = new ConcurrentHashMap<>();
    private final HttpDates dates = new HttpDates();

    /**
     * Creates the calls, which are signed with one key.
     *
     * @param tls trusted servers; empty for those that the JVM trusts
     */
    public SignedCalls(Credential credential, InstantSource clock, Optional<SSLContext> tls) {
        this(credential, clock, tls, Optional.empty());
    }

    /**
     * Creates the calls through proxies that require a user and a password.
     *
     * @param login sent only to proxies
     */
    public SignedCalls(
            Credential credential,
            InstantSource clock,
            Optional<SSLContext> tls,
            Optional<PasswordAuthentication> login) {
        this.credential = credential;
        this.clock = clock;
        http = new HttpPool(CONNECT_TIMEOUT, threads::after, new Wires(new Dialer(threads.pool()), tls, login));
    }

    @Override
    public void close() {
        closed = true;
        underWay.forEach(Exchange::abort);
        http.close();
        threads.close();
    }

    @Override
    public void after(Duration time, Runnable task) {
        var unused = threads.after(time, task);
    }

    @Override
    public long nowMillis() {
        return clock.millis();
    }

    /** Calls a server once, or twice if it refused the first try because of the clock. */
    @Override
    public <R extends TBase<?, ?>> CompletableFuture<@Nullable R> call(
            URI server,
            Service service,
            String method,
            @Nullable TBase<?, ?> request,
            @Nullable R result,
            Duration timeout) {
        RequestBody body;
        try {
            body = encode(method, request);
        } catch (CallFailure e) {
            return CompletableFuture.failedFuture(e);
        }
        Exchange<R> exchange = new Exchange<>(server, method, result, timeout, () -> {
            HttpAnswer answer = http.post(request(server, service, method, body, timeout));
            return answer.status() == CLOCK_TOO_SKEWED && learnClock(server, answer)
                    ? http.post(request(server, service, method, body, timeout)) // refused unexecuted
                    : answer;
        });
        exchange.start();
        return exchange.done;
    }

    /** One call of a server, which ends when it is answered or its time is over. Thread-safe. */
    private final class Exchange<R extends TBase<?, ?>> {
        private final URI server;
        private final String method;
        private final @Nullable R result;
        private final Duration timeout;
        private final Callable<HttpAnswer> answer;
        private final CompletableFuture<@Nullable R> done = new CompletableFuture<>();
        private final FutureTask<?> run = new FutureTask<>(this::run, null);
        private volatile @Nullable Future<?> end;

        Exchange(URI server, String method, @Nullable R result, Duration timeout, Callable<HttpAnswer> answer) {
            this.server = server;
            this.method = method;
            this.result = result;
            this.timeout = timeout;
            this.answer = answer;
        }

        void start() {
            underWay.add(this);
            if (closed) { // asked now that close() knows the exchange: it has ended it, or this sees that it closes
                complete(null, CallFailure.closed(true));
                return;
            }
            try {
                end = threads.after(timeout.plus(GRACE), this::expire);
                threads.pool().execute(run);
            } catch (RuntimeException | Error e) { // no thread left
                complete(null, CallFailure.ofClient("the call cannot be started: " + e, e));
            }
        }

        private void run() {
            try {
                HttpAnswer whole = answer.call();
                var unused = reached.add(server);
                if (whole.status() != OK) {
                    throw refused(server, whole);
                }
                decode(method, whole.body(), result);
                complete(result, null);
            } catch (CallFailure | RuntimeException | Error e) {
                complete(null, e);
            } catch (Exception e) {
                complete(null, unanswered(server, e));
            }
        }

        private void complete(@Nullable R with, @Nullable Throwable failure) {
            forget();
            if (failure == null) {
                done.complete(with);
            } else {
                done.completeExceptionally(failure);
            }
        }

        /** Interrupts the exchange only if it has not completed: its thread then does the next thing already. */
        private void expire() {
            CallFailure late = new CallFailure(
                    CallFailure.CONNECTION, false, true, "no answer from " + server + " within " + timeout, null);
            fail(late);
        }

        /** Ends the exchange because the client is closed. */
        void abort() {
            fail(CallFailure.closed(false));
        }

        private void fail(CallFailure why) {
            forget();
            if (done.completeExceptionally(why)) {
                run.cancel(true); // closes the connection
            }
        }

        private void forget() {
            underWay.remove(this);
            Future<?> timer = end;
            if (timer != null) {
                timer.cancel(false);
            }
        }
    }

    private CallFailure unanswered(URI server, Exception cause) {
        Optional<String> lasting = LastingFault.of(server, cause, reached.contains(server));
        if (lasting.isPresent()) {
            return new CallFailure(CallFailure.CONNECTION, true, false, lasting.get(), cause);
        }
        String why = ": " + LastingFault.why(cause);
        if (cause instanceof ConnectException) {
            return new CallFailure(CallFailure.CONNECTION, true, true, "no server at " + server + why, cause);
        }
        boolean isUnsent = cause instanceof UnsentException;
        return new CallFailure(
                CallFailure.CONNECTION,
                isUnsent,
                cause instanceof IOException,
                "no answer from " + server + why,
                cause);
    }

    private static RequestBody encode(String method, @Nullable TBase<?, ?> request) throws CallFailure {
        try {
            return new RequestBody(Envelope.call(ThriftEncoding.COMPACT, method, SEQUENCE, request));
        } catch (TException e) {
            throw new CallFailure("MALFORMED", true, false, "the call cannot be written: " + e.getMessage(), e);
        }
    }

    private HttpCall request(URI server, Service service, String method, RequestBody body, Duration timeout) {
        Map<String, String> headers = new HashMap<>();
        headers.put("content-type", ThriftEncoding.COMPACT.contentType());
        headers.put(RequestSignature.CONTENT_MD5, body.md5Hex());
        sign(server, "POST", service.path(), headers);
        String id = UUID.randomUUID().toString().substring(0, 8);
        String target = server.getRawPath() + service.path() + "?id=" + id + "&type=" + method;
        return new HttpCall(server, target, headers, body, timeout);
    }

    @Override
    public Map<String, String> signedGet(URI server, String path, String query) {
        Map<String, String> headers = new HashMap<>();
        headers.put(RequestDigest.HEADER, RequestDigest.of(query, List.of()));
        headers.put(RequestSignature.CONTENT_MD5, RequestSignature.md5Hex(new byte[0]));
        sign(server, "GET", path, headers);
        return headers;
    }

    private void sign(URI server, String verb, String path, Map<String, String> headers) {
        Instant now = clock.instant();
        headers.put(RequestSignature.DATE, dates.text(now));
        headers.put(
                RequestSignature.TIMESTAMP,
                Long.toString(now.getEpochSecond() + clockOffsetSeconds.getOrDefault(server, 0L)));
        Map<String, List<String>> signed = new HashMap<>();
        headers.forEach((name, value) -> signed.put(name, List.of(value)));
        String signature =
                RequestSignature.sign(credential.secret(), RequestSignature.stringToSign(verb, path, null, signed));
        headers.put("User-Agent", USER_AGENT);
        headers.put(
                RequestSignature.AUTHORIZATION,
                new Authorization(Authorization.GALAXY_V3, credential.keyId(), signature).header());
    }

    private boolean learnClock(URI server, HttpAnswer answer) {
        return learnClock(server, answer.headers());
    }

    @Override
    public boolean learnClock(URI server, Map<String, String> headers) {
        Optional<String> serverTime =
                Optional.ofNullable(headers.get(RequestSignature.TIMESTAMP.toLowerCase(Locale.ROOT)));
        if (serverTime.isEmpty() || !serverTime.get().matches("\\d{1,12}")) {
            return false;
        }
        clockOffsetSeconds.put(
                server, Long.parseLong(serverTime.get()) - clock.instant().getEpochSecond());
        return true;
    }

    private CallFailure refused(URI server, HttpAnswer answer) {
        int status = answer.status();
        boolean clockMoved = status == CLOCK_TOO_SKEWED && learnClock(server, answer); // between the two tries
        String sentence = status == PROXY_ASKS ? LOGIN : sentence(server, answer);
        return new CallFailure(
                "HTTP_" + status,
                status < SERVER_FAILED || (status == OVERLOADED && isOfServer(answer)),
                status >= SERVER_FAILED || status == TOO_MANY || clockMoved,
                sentence.isEmpty() ? "the server gives no reason" : sentence,
                null,
                retryAfter(answer));
    }

    /** Returns the text of a refusal. A server answers with a sentence; an HTML page comes from another program. */
    private static String sentence(URI server, HttpAnswer answer) {
        String text = new String(answer.body(), StandardCharsets.UTF_8).strip();
        return text.startsWith("<") ? "a web page: another program, or a proxy, answers at " + server : text;
    }

    /** Returns whether a server has refused the call: a proxy also answers 503 after it has forwarded one. */
    private static boolean isOfServer(HttpAnswer answer) {
        return answer.header(RequestSignature.TIMESTAMP).isPresent();
    }

    private static Duration retryAfter(HttpAnswer answer) {
        return answer.header("Retry-After")
                .filter(value -> value.matches("\\d{1,4}"))
                .map(value -> Duration.ofSeconds(Long.parseLong(value)))
                .orElse(Duration.ZERO);
    }

    private static void decode(String method, byte[] answer, @Nullable TBase<?, ?> result) throws CallFailure {
        Optional<GalaxyTalosException> error;
        try {
            error = Envelope.readReply(
                    Wire.reader(ThriftEncoding.COMPACT, answer, 0, answer.length), method, SEQUENCE, result);
        } catch (TException e) {
            throw new CallFailure("MALFORMED", false, false, "the answer cannot be read: " + e.getMessage(), e);
        }
        if (error.isPresent()) {
            throw refused(error.get());
        }
    }

    /** Returns the failure of a call that a server has answered with an error. */
    static CallFailure refused(GalaxyTalosException error) {
        Optional<ErrorTraits> traits = Optional.ofNullable(error.getErrorCode()).map(ErrorTraits::of);
        return new CallFailure(
                traits.map(known -> known.code().name()).orElse("UNKNOWN"),
                surelyNotDone(error, traits),
                traits.filter(ErrorTraits::retryable).isPresent(),
                String.valueOf(error.getErrMsg()),
                null);
    }

    /** Returns whether the call had no effect. A server that says nothing of the effect leaves it to the code. */
    private static boolean surelyNotDone(GalaxyTalosException error, Optional<ErrorTraits> traits) {
        return error.isSetEffect()
                ? Effect.NONE.name().equals(error.getEffect())
                : traits.filter(known -> known.effect() == Effect.NONE).isPresent();
    }
}
