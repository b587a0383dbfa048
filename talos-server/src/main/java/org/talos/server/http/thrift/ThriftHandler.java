// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.thrift;

import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.talos.server.http.HttpPort;

/** Takes every request as a call of a Thrift service, so it stands last among the handlers. Thread-safe. */
public final class ThriftHandler extends Handler.Abstract {
    private final HttpPort.Parts parts;

    /** The handler of the services of these parts. */
    public ThriftHandler(HttpPort.Parts parts) {
        super(parts.invocation());
        this.parts = parts;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
        new ThriftExchange(parts, request, response, callback).begin();
        return true;
    }
}
