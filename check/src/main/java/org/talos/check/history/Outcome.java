// SPDX-License-Identifier: Apache-2.0
package org.talos.check.history;

/** What a client knows of the effect of its operation. Immutable. */
public enum Outcome {
    /** It happened. */
    OK,
    /** It certainly did not happen, and never will. */
    FAIL,
    /** It may have happened, or happen yet. */
    INFO
}
