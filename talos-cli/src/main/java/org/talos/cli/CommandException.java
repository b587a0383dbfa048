// SPDX-License-Identifier: Apache-2.0
package org.talos.cli;

import org.jspecify.annotations.Nullable;
import org.talos.client.TalosClientException;

/** The failure of a command, with the sentence that the user reads. Immutable. */
public final class CommandException extends Exception {
    private final int exitCode;

    /** A failure with one sentence for the user. */
    public CommandException(String message) {
        this(message, null, ExitCodes.FAILED);
    }

    /** A failure with one sentence for the user, and its cause for {@code -v}. */
    public CommandException(String message, Throwable cause) {
        this(message, cause, cause instanceof TalosClientException failure ? ExitCodes.of(failure) : ExitCodes.FAILED);
    }

    private CommandException(String message, @Nullable Throwable cause, int exitCode) {
        super(message, cause);
        this.exitCode = exitCode;
    }

    /** A failure for wrong arguments. */
    public static CommandException usage(String message) {
        return new CommandException(message, null, ExitCodes.USAGE);
    }

    /** A failure for a named thing that does not exist. */
    public static CommandException notThere(String message) {
        return new CommandException(message, null, ExitCodes.NOT_THERE);
    }

    /** The exit code of the process. */
    public int exitCode() {
        return exitCode;
    }
}
