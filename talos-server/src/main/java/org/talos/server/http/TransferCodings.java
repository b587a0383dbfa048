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
 * Refuses transfer encodings other than a single {@code chunked}. Jetty accepts chunks of any encoding as chunks of the
 * body, and a proxy in front of the server may read such a request differently.
 *
 * <p>Thread-safe.
 */
final class TransferCodings extends Handler.Wrapper {
    private final InstantSource clock;

    TransferCodings(InstantSource clock, Handler handler) {
        super(handler);
        this.clock = clock;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
        if (request.getHeaders().contains(HttpHeader.TRANSFER_ENCODING)) {
            String codings = String.join(",", request.getHeaders().getValuesList(HttpHeader.TRANSFER_ENCODING));
            if (!codings.strip().equalsIgnoreCase("chunked")) {
                String sentence = "The only transfer encoding that is read is chunked.";
                Refusals.write(clock, response, Refusal.bodyUnread(HttpStatus.BAD_REQUEST_400, sentence), callback);
                return true;
            }
        }
        return super.handle(request, response, callback);
    }
}
