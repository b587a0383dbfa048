// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.call;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.talos.common.wire.ThriftEncoding;
import org.talos.server.auth.Principal;
import org.talos.server.memory.RequestMemory;
import org.talos.server.runtime.client.Presence;
import org.talos.server.runtime.thread.Continuation;

/**
 * A request whose caller is known.
 *
 * <p>Immutable; the body belongs to the service from here on and must not change.
 *
 * @param arrivedNanos arrival of its headers, by the server's ticker
 * @param continuation runs the rest of the work once storage has answered; null where any thread may
 * @param presence of the caller, for calls that wait
 * @param memory of the request, which it holds until it is answered
 */
public record ServiceRequest(
        ServiceName service,
        EncodedCall call,
        KnownCaller caller,
        long arrivedNanos,
        @Nullable Continuation continuation,
        Presence presence,
        RequestMemory memory) {
    /**
     * A call, as its caller has sent it. Immutable.
     *
     * @param body one Thrift message; backed by an array
     */
    public record EncodedCall(ThriftEncoding encoding, ByteBuffer body) {}

    /** Returns how the body is encoded, and its answer will be. */
    public ThriftEncoding encoding() {
        return call.encoding;
    }

    /** Returns one Thrift message, backed by an array. */
    public ByteBuffer body() {
        return call.body;
    }

    /** Returns the caller, as known when the request came. */
    public Principal principal() {
        return caller.principal();
    }

    /** Returns the client's description of itself. */
    public ClientInfo client() {
        return caller.client();
    }
}
