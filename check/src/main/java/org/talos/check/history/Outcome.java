// SPDX-License-Identifier: Apache-2.0
package org.talos.check.history;

/** What the one who did it knows of its effect. Immutable. */
public enum Outcome {
    /** It happened. */
    OK,
    /** It surely did not happen, and never will. */
    FAIL,
    /** It may have happened, or happen yet. */
    INFO
}
