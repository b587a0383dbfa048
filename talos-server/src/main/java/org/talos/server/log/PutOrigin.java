// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log;

/** How far a client's sequence ids identify its puts. */
public enum PutOrigin {
    /** Each put has its own: an equal put is a repetition. */
    UNIQUE,
    /** Many puts share one: an equal put is a repetition only if the earlier one is known not to have succeeded. */
    REPEATED
}
