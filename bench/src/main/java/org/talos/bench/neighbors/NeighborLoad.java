// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.neighbors;

import java.io.IOException;
import java.util.concurrent.atomic.LongAdder;

/** One thread's part in a neighbor's load. Confined: its thread. */
interface NeighborLoad {
    /**
     * Loads the server over one connection until that ends.
     *
     * @param done counts what the server has done
     * @throws IOException the server has ended the connection, or takes none
     */
    void run(LongAdder done) throws IOException;
}
