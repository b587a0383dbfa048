// SPDX-License-Identifier: Apache-2.0
package org.talos.cli;

import org.talos.client.TalosClientException;
import org.talos.client.TalosClientException.Outcome;

/** What a command ends with, the same for all of them. Immutable. */
public final class ExitCodes {
    /** Done. */
    public static final int DONE = 0;

    static final int FAILED = 1;
    static final int USAGE = 2;
    static final int NOT_THERE = 3;
    static final int UNKNOWN = 4;

    private ExitCodes() {}

    /** What a failed call of a server ends with. */
    static int of(TalosClientException failure) {
        if (failure.outcome() == Outcome.UNKNOWN) {
            return UNKNOWN;
        }
        return failure.code().endsWith("_NOT_EXIST") ? NOT_THERE : FAILED;
    }
}
