// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.payload;

import java.io.IOException;
import org.talos.client.TalosClientException;

/** One way to carry bytes to another process. Implementations are confined to the sweep's thread. */
interface Carrier {
    /** As it is written in tables. */
    String label();

    /** Returns whether it can carry the bytes of a cell. */
    default boolean carries(Cell cell) {
        return true;
    }

    /** Measures one cell, over a way that has the cell's delay. */
    PayloadFigures measure(Cell cell, Way way) throws IOException, TalosClientException;
}
