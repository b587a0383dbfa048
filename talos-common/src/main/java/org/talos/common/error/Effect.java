// SPDX-License-Identifier: Apache-2.0
package org.talos.common.error;

/** The known effect of a failed request. Code that passes a failure on must never turn UNKNOWN into NONE. */
public enum Effect {
    /** It certainly did not happen: repeating it is safe. */
    NONE,
    /** It may have happened. */
    UNKNOWN,
    /** It happened; only the answer failed. */
    DONE
}
