// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.journal;

import java.io.IOException;

/** Another server has deleted a segment that is written here, with its log: it will never be read. Immutable. */
public final class SegmentDeletedException extends IOException {
    /** The message says which segment. */
    public SegmentDeletedException(String message, IOException cause) {
        super(message, cause);
    }
}
