// SPDX-License-Identifier: Apache-2.0
package org.talos.common.error;

/** What is known of the effect of a request that failed. Nobody who passes a failure on may turn UNKNOWN into NONE. */
public enum Effect {
    /** It certainly did not happen: repeating it is safe. */
    NONE,
    /** It may have happened. */
    UNKNOWN,
    /** It happened; only the answer failed. */
    DONE
}
