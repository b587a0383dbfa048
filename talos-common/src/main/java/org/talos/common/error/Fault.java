// SPDX-License-Identifier: Apache-2.0
package org.talos.common.error;

/** What went wrong, where the protocol's codes have only one for much that differs. */
public enum Fault {
    /** The server's disk has no room: there will be some again. */
    DISK_FULL,
    /** What was stored is damaged, and stays so until an operator acts. */
    DAMAGED,
    /** The messages' store failed, wherever it is. */
    STORAGE_FAILED
}
