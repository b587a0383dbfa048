// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http;

import java.time.InstantSource;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/**
 * Slows down who tries keys: an address whose credentials were wrong too often gets 429 to everything, so that it does
 * not even learn when it has found one. A request without credentials is no guess.
 *
 * <p>Thread-safe.
 */
final class GuessLimit extends Handler.Wrapper {
    private static final int MAX_ADDRESSES = 10_000;

    private final FailedKeys failed;
    private final InstantSource clock;

    GuessLimit(FrontEnd.Parts parts, Handler handler) {
        super(handler);
        failed = new FailedKeys(parts.config().limits().failedKeysPerMinute(), MAX_ADDRESSES, parts.ticker());
        clock = parts.clock();
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
        if (!request.getHeaders().contains(HttpHeader.AUTHORIZATION)) {
            return super.handle(request, response, callback);
        }
        String address = Request.getRemoteAddr(request);
        if (failed.tooMany(address)) {
            String sentence = "Wrong credentials came from this address too often.";
            Refusals.write(clock, response, Refusal.bodyUnread(HttpStatus.TOO_MANY_REQUESTS_429, sentence), callback);
            return true;
        }
        Callback noted = Callback.from(
                callback.getInvocationType(),
                () -> {
                    note(response, address);
                    callback.succeeded();
                },
                cause -> {
                    note(response, address);
                    callback.failed(cause);
                });
        return super.handle(request, response, noted);
    }

    private void note(Response response, String address) {
        if (response.getStatus() == HttpStatus.UNAUTHORIZED_401) {
            failed.failed(address);
        }
    }
}
