// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.journal;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Another server has fenced a journal: its writer can write no further byte to it. Immutable. */
public final class JournalFencedException extends IOException {
    /** The message says which journal. */
    public JournalFencedException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
