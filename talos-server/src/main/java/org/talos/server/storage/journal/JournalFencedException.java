// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.journal;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Another server has taken a journal over: its writer gets no further byte into it. Immutable. */
public final class JournalFencedException extends IOException {
    /** Says which journal. */
    public JournalFencedException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
