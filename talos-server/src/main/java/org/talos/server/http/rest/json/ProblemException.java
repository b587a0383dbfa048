// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.json;

/** Ends a request with a problem. Immutable. */
public final class ProblemException extends RuntimeException {
    private final transient Problem problem;

    public ProblemException(Problem problem) {
        super(problem.detail(), null, false, false); // an answer, not a bug: its stack is never read
        this.problem = problem;
    }

    /** A malformed request: 400. */
    public static ProblemException badRequest(String detail) {
        return refused(400, "bad-request", detail);
    }

    public static ProblemException refused(int status, String code, String detail) {
        return new ProblemException(Problem.refused(status, code, detail));
    }

    public Problem problem() {
        return problem;
    }
}
