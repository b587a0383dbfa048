// SPDX-License-Identifier: Apache-2.0
package org.talos.server.runtime;

import org.jspecify.annotations.Nullable;

/** The first line of a failure: the messages of Hadoop and HBase hold whole stack traces. Immutable. */
public final class FirstLine {
    private FirstLine() {}

    /** Returns the first line of a failure's message, or of its name if it has none. */
    public static String of(Throwable failure) {
        String message = failure.getMessage();
        return of(message == null ? failure.toString() : message);
    }

    /** Returns the first line of a message; null becomes "null". */
    public static String of(@Nullable String message) {
        return String.valueOf(message).lines().findFirst().orElse("");
    }
}
