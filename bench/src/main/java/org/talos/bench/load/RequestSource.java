// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.load;

import java.nio.ByteBuffer;

/** Supplies the requests of one connection. Confined: the loop's thread. */
public interface RequestSource {
    /** The whole next request, head and body; it stays as it is until the next call. */
    ByteBuffer next();
}
