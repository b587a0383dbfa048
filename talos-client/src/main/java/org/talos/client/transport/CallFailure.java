// SPDX-License-Identifier: Apache-2.0
package org.talos.client.transport;

import org.jspecify.annotations.Nullable;

/** A call that failed, before it is told to the program. Immutable. */
public final class CallFailure extends Exception {
    private final String code;
    private final boolean surelyNotDone;
    private final boolean retriable;

    CallFailure(String code, boolean surelyNotDone, boolean retriable, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.code = code;
        this.surelyNotDone = surelyNotDone;
        this.retriable = retriable;
    }

    /** The protocol's name of the error, or the transport's. */
    public String code() {
        return code;
    }

    /** Whether the call surely had no effect. */
    public boolean surelyNotDone() {
        return surelyNotDone;
    }

    /** Whether the same call may succeed later. */
    public boolean retriable() {
        return retriable;
    }

    /** Never null. */
    @Override
    public String getMessage() {
        return String.valueOf(super.getMessage());
    }
}
