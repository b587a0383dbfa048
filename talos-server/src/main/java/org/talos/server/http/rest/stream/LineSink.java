// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.stream;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.talos.server.service.call.CallContext;

/** Takes the lines of a request that may have no end. Confined: some lines at a time. */
public interface LineSink {
    /**
     * Takes lines that came together.
     *
     * @param lines without their ends; not to be kept
     * @param after runs long work once they have ended
     * @return completes once each line has its result; never fails
     */
    CompletionStage<Results> take(CallContext context, List<ByteBuffer> lines, Executor after);

    /**
     * The results of lines, in their order. Immutable.
     *
     * @param continues whether further lines are taken; if not, there may be fewer results than lines: the rest was not
     *     begun
     */
    record Results(List<ObjectNode> all, boolean continues) {
        public Results {
            all = List.copyOf(all);
        }
    }
}
