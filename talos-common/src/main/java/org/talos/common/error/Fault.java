// SPDX-License-Identifier: Apache-2.0
package org.talos.common.error;

/** The cause of a failure, where the protocol has only one code for different causes. */
public enum Fault {
    /** The server's disk has no room: there will be some again. */
    DISK_FULL,
    /** Stored data is damaged, and stays so until an operator acts. */
    DAMAGED,
    /** The messages' store failed, wherever it is. */
    STORAGE_FAILED
}
