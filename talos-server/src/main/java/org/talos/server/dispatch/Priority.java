// SPDX-License-Identifier: Apache-2.0
package org.talos.server.dispatch;

/** The lanes of a worker, most urgent first. */
public enum Priority {
    /** Forwarded and control requests. */
    HIGH,
    /** Requests of clients. */
    NORMAL,
    /** Reads that catch up. */
    LOW
}
