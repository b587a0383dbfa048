// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.Locale;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpHeaderValue;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;
import org.talos.common.auth.RequestSignature;

/**
 * Writes the refusals of Thrift calls and those of Jetty itself: plain text, which both SDKs show to people, with the
 * server's time, by which one of them sets its clock. A REST request gets a problem document instead.
 *
 * <p>Thread-safe.
 */
public final class Refusals implements Request.Handler {
    /** The answer to a request that has failed in the server. */
    public static final String FAILED = "The server failed; whether the request took effect is not known.";

    /** RFC 9110 requires a challenge in each 401, and some clients consider one without it broken. */
    private static final String CHALLENGE = "Galaxy-V3";

    private final InstantSource clock;
    private final CrossOrigins origins;

    Refusals(InstantSource clock, CrossOrigins origins) {
        this.clock = clock;
        this.origins = origins;
    }

    public static void write(InstantSource clock, Response response, Refusal refusal, Callback callback) {
        boolean rest = isRest(response.getRequest().getHttpURI().getPath());
        ByteBuffer body = StandardCharsets.UTF_8.encode(rest ? problem(refusal) : refusal.sentence() + "\n");
        response.setStatus(refusal.status());
        response.getHeaders()
                .put(HttpHeader.CONTENT_TYPE, rest ? "application/problem+json" : "text/plain; charset=utf-8");
        response.getHeaders().put(HttpHeader.CONTENT_LENGTH, body.remaining());
        response.getHeaders()
                .put(RequestSignature.TIMESTAMP, Long.toString(clock.instant().getEpochSecond()));
        if (refusal.status() == HttpStatus.UNAUTHORIZED_401) {
            response.getHeaders().put(HttpHeader.WWW_AUTHENTICATE, CHALLENGE);
        }
        if (refusal.status() == HttpPort.UNAVAILABLE || refusal.status() == HttpStatus.TOO_MANY_REQUESTS_429) {
            response.getHeaders().put(HttpHeader.RETRY_AFTER, refusal.retryAfterSeconds());
        }
        if (!refusal.keepAlive()) {
            response.getHeaders().put(HttpHeader.CONNECTION, HttpHeaderValue.CLOSE);
        }
        RefusedStreams.answer(response.getRequest(), callback, taken -> response.write(true, body, taken));
    }

    /**
     * Thrift has the paths that begin with /v1/api, REST the rest of /v1/; a request that could not be parsed may have
     * no path.
     */
    private static boolean isRest(@Nullable String path) {
        return path != null && path.startsWith("/v1/") && !path.startsWith("/v1/api");
    }

    /** Sentences and titles are the server's own, without characters that JSON would escape. */
    private static String problem(Refusal refusal) {
        boolean begun =
                refusal.status() >= HttpStatus.INTERNAL_SERVER_ERROR_500 && refusal.status() != HttpPort.UNAVAILABLE;
        boolean retryable =
                refusal.status() == HttpPort.UNAVAILABLE || refusal.status() == HttpStatus.TOO_MANY_REQUESTS_429;
        String title = HttpStatus.getMessage(refusal.status());
        return String.format(
                Locale.ROOT,
                """
                {"type":"about:blank","title":"%s","status":%d,"detail":"%s","code":"%s","retryable":%b,"outcome":"%s"}
                """,
                title,
                refusal.status(),
                refusal.sentence(),
                title.toLowerCase(Locale.ROOT).replace(' ', '-'),
                retryable,
                begun ? "unknown" : "did-not-happen");
    }

    /** Writes Jetty's own refusals: of requests that it could not parse, or that took too long. */
    @Override
    public boolean handle(Request request, Response response, Callback callback) {
        boolean begun = request.getAttribute(HttpPort.NOT_BEGUN) == null;
        int status = response.getStatus();
        if (status == HttpStatus.INTERNAL_SERVER_ERROR_500 && !begun) {
            status = HttpPort.UNAVAILABLE;
        }
        origins.mark(request, response);
        write(clock, response, Refusal.bodyUnread(status, sentence(status, request)), callback);
        return true;
    }

    private static String sentence(int status, Request request) {
        if (status == HttpStatus.INTERNAL_SERVER_ERROR_500) {
            return FAILED;
        }
        if (status == HttpPort.UNAVAILABLE && SelectorConnector.isStopping(request)) {
            return "The request was refused: the server is stopping.";
        }
        @Nullable String reason = HttpStatus.getMessage(status);
        return "The request was refused: " + reason + ".";
    }
}
