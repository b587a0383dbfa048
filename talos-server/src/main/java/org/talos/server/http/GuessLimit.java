// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http;

import java.nio.ByteBuffer;
import java.time.InstantSource;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;
import org.talos.server.auth.StreamTokens;
import org.talos.server.http.client.RequestClient;
import org.talos.server.http.connection.FailedKeys;

/**
 * Slows down the guessing of keys. An address with too many wrong credentials gets 429 for each further wrong one, a
 * second later, and its connection ends. Right credentials are served as before; otherwise a client could lock out
 * others behind the same address. Checking them costs at most two HMACs, before any of the body is read.
 *
 * <p>Jetty's {@code DoSHandler} counts all requests of an address, not those with wrong credentials. When its table is
 * full, it refuses every new address.
 *
 * <p>Thread-safe.
 */
final class GuessLimit extends Handler.Wrapper {
    private static final int MAX_ADDRESSES = 10_000;
    private static final long DELAY_MILLIS = 1_000;
    /** Answers beyond these are not delayed: a flood must not fill the memory with delayed ones. */
    private static final int MAX_DELAYED = 1_000;

    private final FailedKeys failed;
    private final InstantSource clock;
    private final AtomicInteger delayed = new AtomicInteger();

    GuessLimit(HttpPort.Parts parts, Handler handler) {
        super(handler);
        failed = new FailedKeys(parts.config().limits().failedKeysPerMinute(), MAX_ADDRESSES, parts.ticker());
        clock = parts.clock();
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
        return mayGuess(request)
                ? super.handle(request, new CountedResponse(request, response), callback)
                : super.handle(request, response, callback);
    }

    /**
     * Returns whether the request has anything that may be a guess: a request without credentials gets a 401 as well.
     */
    private static boolean mayGuess(Request request) {
        return request.getHeaders().contains(HttpHeader.AUTHORIZATION)
                || mayHaveASession(request)
                || maySignIn(request)
                || mayHaveAToken(request);
    }

    private static boolean maySignIn(Request request) {
        String path = request.getHttpURI().getPath();
        boolean mayBeEncoded = path != null && path.indexOf('%') >= 0;
        return HttpPort.SESSION_PATH.equals(path) || (mayBeEncoded && HttpMethod.POST.is(request.getMethod()));
    }

    private static boolean mayHaveASession(Request request) {
        return request.getHeaders().contains(HttpHeader.COOKIE)
                && request.getHeaders().getValuesList(HttpHeader.COOKIE).stream()
                        .anyMatch(each -> each.contains(HttpPort.SESSION_COOKIE));
    }

    private static boolean mayHaveAToken(Request request) {
        String query = request.getHttpURI().getQuery();
        return query != null && (query.contains(StreamTokens.PARAMETER) || query.indexOf('%') >= 0); // or it is encoded
    }

    private void refuse(Response response, Callback callback) {
        response.getHeaders().remove(HttpHeader.WWW_AUTHENTICATE);
        String sentence = "Wrong credentials came from this address too often.";
        Refusal refusal = Refusal.bodyUnread(HttpStatus.TOO_MANY_REQUESTS_429, sentence);
        Refusals.write(clock, response, refusal.after(failed.secondsUntilNext()), callback);
    }

    private void refuseLater(Response response, Callback callback) {
        if (delayed.incrementAndGet() > MAX_DELAYED) {
            delayed.decrementAndGet();
            refuse(response, callback);
            return;
        }
        var unused = response.getRequest()
                .getComponents()
                .getScheduler()
                .schedule(
                        () -> {
                            delayed.decrementAndGet();
                            refuse(response, callback);
                        },
                        DELAY_MILLIS,
                        TimeUnit.MILLISECONDS);
    }

    /**
     * Counts a 401 before its client can see it; otherwise the next guess could be faster. Confined: as the response.
     */
    private final class CountedResponse extends Response.Wrapper {
        CountedResponse(Request request, Response response) {
            super(request, response);
        }

        @Override
        public void write(boolean last, @Nullable ByteBuffer bytes, Callback callback) {
            boolean isGuess = last
                    && getStatus() == HttpStatus.UNAUTHORIZED_401
                    && getRequest().getAttribute(HttpPort.NO_GUESS) == null;
            if (isGuess && !failed.failed(network())) {
                refuseLater(getWrapped(), callback);
            } else {
                super.write(last, bytes, callback);
            }
        }

        private String network() {
            return RequestClient.network(getRequest());
        }
    }
}
