// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.talos.common.error.TalosException;
import org.talos.server.auth.Principal;
import org.talos.server.auth.quota.QuotaGate;
import org.talos.server.memory.RequestMemory;
import org.talos.server.runtime.client.Presence;
import org.talos.server.runtime.thread.Continuation;
import org.talos.server.service.call.CallContext;
import org.talos.server.service.call.ClientInfo;
import org.talos.server.service.call.Deadlines;
import org.talos.server.service.call.KnownCaller;

/**
 * Begins the requests of front ends that do not speak Thrift.
 *
 * <p>Thread-safe.
 */
public final class Requests {
    private final Deadlines deadlines;
    private final QuotaGate gate;

    Requests(Deadlines deadlines, QuotaGate gate) {
        this.deadlines = deadlines;
        this.gate = gate;
    }

    /**
     * Begins a request now, with the default deadline.
     *
     * @param known the caller, checked at each call: see {@link KnownCaller}
     * @param memory of the request, which it holds until it is answered
     * @throws TalosException THROTTLE_REJECT_ERROR: all clients together make too many requests
     */
    public CallContext begin(
            Principal principal,
            Supplier<Principal> known,
            ClientInfo client,
            long arrivedNanos,
            @Nullable Continuation continuation,
            Presence presence,
            RequestMemory memory) {
        gate.request();
        KnownCaller caller = new KnownCaller(principal, known, client);
        return new CallContext(caller, arrivedNanos, deadlines.byDefault(arrivedNanos), continuation, presence, memory);
    }
}
