// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest;

/** Ends a request with a problem. Immutable. */
final class ProblemException extends RuntimeException {
    private final transient Problem problem;

    ProblemException(Problem problem) {
        super(problem.detail(), null, false, false); // an answer, not a bug: nobody reads its stack
        this.problem = problem;
    }

    /** A request that says what it must not say: 400. */
    static ProblemException badRequest(String detail) {
        return refused(400, "bad-request", detail);
    }

    static ProblemException refused(int status, String code, String detail) {
        return new ProblemException(Problem.refused(status, code, detail));
    }

    Problem problem() {
        return problem;
    }
}
