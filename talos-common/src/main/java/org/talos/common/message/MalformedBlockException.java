// SPDX-License-Identifier: Apache-2.0
package org.talos.common.message;

/** The failure to read a block or message: it is malformed or larger than allowed. Immutable. */
public final class MalformedBlockException extends Exception {
    /** A failure with a sentence on its reason. */
    public MalformedBlockException(String message) {
        super(message);
    }

    /** A failure with a sentence on its reason, and its cause. */
    public MalformedBlockException(String message, Throwable cause) {
        super(message + ": " + cause.getMessage(), cause);
    }

    /** The sentence; never null. */
    @Override
    public String getMessage() {
        return String.valueOf(super.getMessage());
    }
}
