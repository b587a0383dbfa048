// SPDX-License-Identifier: Apache-2.0
package org.talos.cli;

import org.talos.client.TalosClientException;
import org.talos.client.TalosClientException.Outcome;

/** The exit codes of all commands. Immutable. */
public final class ExitCodes {
    /** The command succeeded. */
    public static final int DONE = 0;

    static final int FAILED = 1;
    static final int USAGE = 2;
    static final int NOT_THERE = 3;
    static final int UNKNOWN = 4;
    static final int PARTLY = 5;
    /** The code of a shell for a tool that wrote into a pipe without a reader. */
    static final int READER_GONE = 128 + 13;

    private ExitCodes() {}

    /** Returns the exit code for a failure. */
    static int of(Throwable thrown) {
        if (thrown instanceof PipedOutput.ReaderGoneException) {
            return READER_GONE;
        }
        if (thrown instanceof CommandException failure) {
            return failure.exitCode();
        }
        return thrown instanceof TalosClientException failure ? of(failure) : FAILED;
    }

    private static int of(TalosClientException failure) {
        if (failure.outcome() == Outcome.UNKNOWN) {
            return UNKNOWN;
        }
        return failure.code().endsWith("_NOT_EXIST") ? NOT_THERE : FAILED;
    }
}
