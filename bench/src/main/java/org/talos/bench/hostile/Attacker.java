// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.hostile;

import java.io.Closeable;
import java.io.IOException;

/** One thread's part in an attack. Confined: its thread, but for {@link #close}, which ends what blocks. */
interface Attacker extends Closeable {
    /**
     * Does a part of its work: some requests, or a turn over its connections.
     *
     * @throws IOException the server has ended a connection; the attacker is closed and another one begins
     */
    void round() throws IOException;
}
