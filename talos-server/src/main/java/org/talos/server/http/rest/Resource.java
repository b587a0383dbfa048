// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest;

import java.util.concurrent.CompletionStage;
import org.talos.server.http.rest.json.ProblemException;

/** Answers the requests of a route. Thread-safe; never blocks. */
@FunctionalInterface
public interface Resource {
    /**
     * Answers a request.
     *
     * @return completes with the answer, or with a {@link ProblemException} or TalosException
     * @throws RuntimeException in place of such a stage
     */
    CompletionStage<RestAnswer> answer(RestRequest request);
}
