// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest;

import java.util.function.Function;
import java.util.function.Supplier;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;
import org.talos.server.http.HttpPort;
import org.talos.server.http.fairness.UserTurn;
import org.talos.server.http.lent.LentBuffers;
import org.talos.server.http.rest.json.Problem;
import org.talos.server.http.rest.json.ProblemException;
import org.talos.server.http.rest.stream.OpenStreams;
import org.talos.server.runtime.thread.Continuation;
import org.talos.server.service.call.CallContext;

/** An answer that makes the request's connection something else. Confined: one request. */
public interface Upgrade {
    /**
     * Parts that stay in use once the request is over. Immutable.
     *
     * @param contexts a context for work that begins now; fails if the sender's key is gone
     * @param problems the problem that a client gets of a failure
     * @param buffers from which the connection is written
     * @param continuation runs the next step on the connection's selector; null where any thread may
     * @param turns of the user, on that selector
     */
    record Ground(
            HttpPort.Parts parts,
            Supplier<CallContext> contexts,
            Function<Throwable, Problem> problems,
            LentBuffers buffers,
            @Nullable Continuation continuation,
            UserTurn turns) {}

    /** The protocol that the connection changes to. Thread-safe. */
    interface Upgraded extends OpenStreams.Stream {
        /**
         * Answers the request, and takes the connection over.
         *
         * @param callback of the request
         * @param onEnd to be run when all is over
         * @return false if nothing was answered: the request asks for no such thing
         */
        boolean begin(Request request, Response response, Callback callback, Runnable onEnd);
    }

    /**
     * Makes ready; nothing has been answered yet.
     *
     * @throws ProblemException the request is refused
     */
    Upgraded open(Ground ground, Request request);
}
