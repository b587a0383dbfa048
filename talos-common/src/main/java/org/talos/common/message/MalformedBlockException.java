// SPDX-License-Identifier: Apache-2.0
package org.talos.common.message;

/** A block or message that can't be read as what it says it is, or is larger than allowed. Immutable. */
public final class MalformedBlockException extends Exception {
    /** A sentence on what is wrong. */
    public MalformedBlockException(String message) {
        super(message);
    }

    /** A sentence on what is wrong, and what found it. */
    public MalformedBlockException(String message, Throwable cause) {
        super(message + ": " + cause.getMessage(), cause);
    }

    /** The sentence; never null. */
    @Override
    public String getMessage() {
        return String.valueOf(super.getMessage());
    }
}
