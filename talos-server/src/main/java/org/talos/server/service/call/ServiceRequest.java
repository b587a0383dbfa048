// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.call;

import java.nio.ByteBuffer;
import java.util.function.Supplier;
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
 * @param body one Thrift message; backed by an array
 * @param known the caller, as known whenever that is asked: see {@link CallContext#known}
 * @param arrivedNanos when its headers had arrived, by the server's ticker
 * @param continuation runs what is left to do once storage has answered; null where any thread may
 * @param presence of the caller, for calls that wait
 * @param memory of the request, which it holds until it is answered
 */
public record ServiceRequest(
        ServiceName service,
        ThriftEncoding encoding,
        ByteBuffer body,
        Principal principal,
        Supplier<Principal> known,
        ClientInfo client,
        long arrivedNanos,
        @Nullable Continuation continuation,
        Presence presence,
        RequestMemory memory) {}
