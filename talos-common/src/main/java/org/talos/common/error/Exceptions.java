// SPDX-License-Identifier: Apache-2.0
package org.talos.common.error;

import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/** Finds the failure inside the exceptions that futures wrap around it. Immutable. */
public final class Exceptions {
    private Exceptions() {}

    /**
     * Returns the failure of a future without the CompletionException or ExecutionException around it. A wrapper
     * without a cause, and every other exception, is returned as it is.
     */
    public static Throwable unwrap(Throwable thrown) {
        Throwable at = thrown;
        while (at instanceof CompletionException || at instanceof ExecutionException) {
            Throwable cause = at.getCause();
            if (cause == null) {
                return at;
            }
            at = cause;
        }
        return at;
    }
}
