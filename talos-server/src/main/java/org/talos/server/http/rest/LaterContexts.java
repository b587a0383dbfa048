// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.talos.server.auth.AuthenticationException;
import org.talos.server.auth.Principal;
import org.talos.server.auth.SessionTokens.Session;
import org.talos.server.http.HttpPort;
import org.talos.server.http.rest.json.ProblemException;
import org.talos.server.memory.RequestMemory;
import org.talos.server.runtime.client.Presence;
import org.talos.server.runtime.thread.Continuation;
import org.talos.server.service.Operations;
import org.talos.server.service.call.CallContext;
import org.talos.server.service.call.ClientInfo;
import org.talos.server.tracing.Trace;

/**
 * Contexts for work that begins later, when the request may be over, of which they keep nothing. Each checks that the
 * sender's key is still there, and the session by which it came continues.
 *
 * <p>Thread-safe.
 *
 * @param session by which the request came; null if it came by other credentials
 * @param continuation runs the next step; null where any thread may
 * @param presence of the client
 * @param memory of the request, or of the stream that its connection has become
 * @param trace where the request belongs; null if to none
 */
record LaterContexts(
        Operations operations,
        HttpPort.Parts parts,
        Principal sender,
        @Nullable Session session,
        ClientInfo client,
        @Nullable Continuation continuation,
        Presence presence,
        RequestMemory memory,
        @Nullable Trace trace)
        implements Supplier<CallContext> {
    @Override
    public CallContext get() {
        CallContext begun = operations
                .requests()
                .begin(
                        stillKnown(),
                        parts.known(sender, session),
                        client,
                        parts.ticker().nanos(),
                        continuation,
                        presence,
                        memory);
        return begun.with(trace); // also none: the thread may be at another request
    }

    private Principal stillKnown() {
        try {
            return parts.authentication().stillKnown(sender, session);
        } catch (AuthenticationException e) {
            throw new ProblemException(RequestProblems.ofAuthentication(e));
        }
    }
}
