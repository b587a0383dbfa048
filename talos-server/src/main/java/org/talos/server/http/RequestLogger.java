// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http;

import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.RequestLog;
import org.eclipse.jetty.server.Response;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.http.client.RequestClient;
import org.talos.server.runtime.time.Ticker;

/**
 * Logs a line for each request, if the logger {@code org.talos.requests} is on: with the request's id, and without
 * credentials or contents. The path is logged as it was sent, so that it is one line.
 *
 * <p>Thread-safe.
 */
final class RequestLogger implements RequestLog {
    private static final Logger LOG = LoggerFactory.getLogger("org.talos.requests");

    private final Ticker ticker;

    RequestLogger(Ticker ticker) {
        this.ticker = ticker;
    }

    @Override
    public void log(Request request, Response response) {
        if (!LOG.isInfoEnabled()) {
            return;
        }
        long nanos = ticker.nanos() - request.getHeadersNanoTime();
        LOG.atInfo()
                .addKeyValue("request", id(request, response))
                .addKeyValue("client", RequestClient.address(request))
                .addKeyValue("method", request.getMethod())
                .addKeyValue("path", request.getHttpURI().getPath())
                .addKeyValue("status", response.getStatus())
                .addKeyValue("bytes", Response.getContentBytesWritten(response))
                .addKeyValue("micros", TimeUnit.NANOSECONDS.toMicros(nanos))
                .log("answered");
    }

    /** Returns the id of REST's answer, or else the client's. */
    private static String id(Request request, Response response) {
        String answered = response.getHeaders().get("X-Request-Id");
        return answered == null ? SignedHeaders.client(request).requestId() : answered;
    }
}
