// SPDX-License-Identifier: Apache-2.0
package org.talos.check.history;

/** The outcome of an operation as its client knows it. Immutable. */
public enum Outcome {
    /** It happened. */
    OK,
    /** It certainly did not happen, and never will. */
    FAIL,
    /** It may have happened, or happen yet. */
    INFO
}
