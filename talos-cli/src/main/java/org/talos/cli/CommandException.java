// SPDX-License-Identifier: Apache-2.0
package org.talos.cli;

import org.jspecify.annotations.Nullable;
import org.talos.client.TalosClientException;

/** A command that can't go on; its message is what the user reads. Immutable. */
public final class CommandException extends Exception {
    private final int exitCode;

    /** One sentence for the user. */
    public CommandException(String message) {
        this(message, null, ExitCodes.FAILED);
    }

    /** One sentence for the user, and what was behind it for {@code -v}. */
    public CommandException(String message, Throwable cause) {
        this(message, cause, cause instanceof TalosClientException failure ? ExitCodes.of(failure) : ExitCodes.FAILED);
    }

    private CommandException(String message, @Nullable Throwable cause, int exitCode) {
        super(message, cause);
        this.exitCode = exitCode;
    }

    /** The command was called in a way that makes no sense. */
    public static CommandException usage(String message) {
        return new CommandException(message, null, ExitCodes.USAGE);
    }

    /** Something that was named is not there. */
    public static CommandException notThere(String message) {
        return new CommandException(message, null, ExitCodes.NOT_THERE);
    }

    /** What the process ends with. */
    public int exitCode() {
        return exitCode;
    }
}
