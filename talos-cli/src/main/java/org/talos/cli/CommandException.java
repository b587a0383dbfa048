// SPDX-License-Identifier: Apache-2.0
package org.talos.cli;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The failure of a command, with the sentence that the user reads. Immutable. */
public final class CommandException extends Exception {
    private final int exitCode;
    private final transient Optional<Object> progress;

    /** Creates a failure with one sentence for the user. */
    public CommandException(String message) {
        this(message, null, ExitCodes.FAILED, Optional.empty());
    }

    /** Creates a failure with one sentence for the user, and its cause for {@code -v}. */
    public CommandException(String message, Throwable cause) {
        this(message, cause, ExitCodes.of(cause), Optional.empty());
    }

    private CommandException(String message, @Nullable Throwable cause, int exitCode, Optional<Object> progress) {
        super(message, cause);
        this.exitCode = exitCode;
        this.progress = progress;
    }

    /** Returns a failure for wrong arguments. */
    public static CommandException usage(String message) {
        return new CommandException(message, null, ExitCodes.USAGE, Optional.empty());
    }

    /** Returns a failure for a named thing that does not exist. */
    public static CommandException notThere(String message) {
        return new CommandException(message, null, ExitCodes.NOT_THERE, Optional.empty());
    }

    /** Returns a failure after which the command may have had its effect. */
    public static CommandException unknown(String message, Throwable cause) {
        return new CommandException(message, cause, ExitCodes.UNKNOWN, Optional.empty());
    }

    /** Returns a failure of a command that was done, but could not print its result. */
    public static CommandException done(String message, Throwable cause) {
        return new CommandException(message, cause, ExitCodes.PARTLY, Optional.empty());
    }

    /**
     * Returns a failure of a command of which a part was done, or may have been.
     *
     * @param unknown whether there is a part that may have been done
     * @param progress document with the outcome of each part
     */
    public static CommandException partly(String message, Throwable cause, boolean unknown, Object progress) {
        return new CommandException(
                message, cause, unknown ? ExitCodes.UNKNOWN : ExitCodes.PARTLY, Optional.of(progress));
    }

    /** Returns the exit code of the process. */
    public int exitCode() {
        return exitCode;
    }

    /**
     * Returns the document for programs with the completed part of the command; empty if there is nothing to
     * distinguish.
     */
    Optional<Object> progress() {
        return progress;
    }
}
