// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest;

import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.common.error.Effect;
import org.talos.common.error.Exceptions;
import org.talos.common.error.TalosException;
import org.talos.server.auth.AuthenticationException;
import org.talos.server.http.rest.json.Problem;
import org.talos.server.http.rest.json.ProblemException;
import org.talos.server.memory.RequestMemory;

/** Turns failures of requests into problems for clients, and logs the server's faults. Immutable. */
record RequestProblems(String requestId) implements Function<Throwable, Problem> {
    private static final Logger LOG = LoggerFactory.getLogger(RequestProblems.class);

    static Problem ofAuthentication(AuthenticationException e) {
        String code = e.status() == AuthenticationException.CLOCK_TOO_SKEWED ? "clock-too-skewed" : "invalid-auth";
        return Problem.refused(e.status(), code, e.sentence());
    }

    @Override
    public Problem apply(Throwable thrown) {
        Throwable cause = Exceptions.unwrap(thrown);
        if (cause instanceof ProblemException known) {
            return known.problem();
        }
        if (cause instanceof AuthenticationException known) {
            return ofAuthentication(known);
        }
        if (cause instanceof RequestMemory.ExhaustedException known) {
            return noMemory(known);
        }
        if (cause instanceof TalosException known) {
            Problem problem = Problem.of(known);
            boolean isLogged = known.fault().isPresent() && known.getCause() == null; // where it was found
            if (problem.status() == 500 && !isLogged) {
                logFailure(cause);
            }
            return problem;
        }
        logFailure(cause);
        return new Problem(500, "internal-server-error", "the server failed", Effect.UNKNOWN);
    }

    private static Problem noMemory(RequestMemory.ExhaustedException e) {
        return e.isHopeless()
                ? Problem.refused(413, "request-too-large", "this server never has so much memory: ask for less")
                : Problem.refused(503, "no-memory", String.valueOf(e.getMessage()));
    }

    private void logFailure(Throwable cause) {
        LOG.atError().addKeyValue("request", requestId).setCause(cause).log("request failed");
    }
}
