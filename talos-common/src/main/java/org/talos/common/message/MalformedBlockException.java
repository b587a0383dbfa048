// SPDX-License-Identifier: Apache-2.0
package org.talos.common.message;

/** The failure to read a block or message: it is malformed or larger than allowed. Immutable. */
public final class MalformedBlockException extends Exception {
    private final boolean tooLarge;

    /** Creates a failure with a sentence on its reason. */
    public MalformedBlockException(String message) {
        super(message);
        tooLarge = false;
    }

    /** Creates a failure with a sentence on its reason, and its cause. */
    public MalformedBlockException(String message, Throwable cause) {
        super(
                message + ": " + (cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage()),
                cause);
        tooLarge = false;
    }

    private MalformedBlockException(String message, boolean tooLarge) {
        super(message);
        this.tooLarge = tooLarge;
    }

    /** Returns a block that may be sound, and holds more than was allowed. */
    static MalformedBlockException tooLarge(long maxBytes) {
        return tooLarge("it holds more than " + maxBytes + " bytes");
    }

    /**
     * Returns the exception for a block that may be intact, and is too large to read; with a sentence about the limit.
     */
    public static MalformedBlockException tooLarge(String message) {
        return new MalformedBlockException(message, true);
    }

    /** Returns whether it could be read, for all that is known, if more bytes were allowed. */
    public boolean isTooLarge() {
        return tooLarge;
    }

    /** Returns the sentence; never null. */
    @Override
    public String getMessage() {
        return String.valueOf(super.getMessage());
    }
}
