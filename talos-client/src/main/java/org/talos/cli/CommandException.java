// SPDX-License-Identifier: Apache-2.0
package org.talos.cli;

/** A command that can't go on; its message is what the user reads. Immutable. */
public final class CommandException extends Exception {
    /** One sentence for the user. */
    public CommandException(String message) {
        super(message);
    }

    /** One sentence for the user, and what was behind it for {@code -v}. */
    public CommandException(String message, Throwable cause) {
        super(message, cause);
    }
}
