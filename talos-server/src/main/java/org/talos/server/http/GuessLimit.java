// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http;

import java.nio.ByteBuffer;
import java.time.InstantSource;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/**
 * Limits the guessing of keys: an address with too many wrong credentials gets 429 to every request that shows some, so
 * that it does not learn which guess was right. Requests without credentials pass.
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
        return super.handle(request, new CountedResponse(request, response, failed, address), callback);
    }

    /** Counts a 401 before its client can see it, or the next guess could be faster. Confined: as the response. */
    private static final class CountedResponse extends Response.Wrapper {
        private final FailedKeys failed;
        private final String address;

        CountedResponse(Request request, Response response, FailedKeys failed, String address) {
            super(request, response);
            this.failed = failed;
            this.address = address;
        }

        @Override
        public void write(boolean last, @Nullable ByteBuffer bytes, Callback callback) {
            if (last && getStatus() == HttpStatus.UNAUTHORIZED_401) {
                failed.failed(address);
            }
            super.write(last, bytes, callback);
        }
    }
}
