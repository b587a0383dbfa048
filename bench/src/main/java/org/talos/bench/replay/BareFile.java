// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.replay;

import java.io.IOException;
import java.nio.channels.ReadableByteChannel;

/** A file of a segment, to be read without a server. Implementations are immutable. */
@FunctionalInterface
interface BareFile {
    /** Opens it at its beginning. */
    ReadableByteChannel open() throws IOException;
}
