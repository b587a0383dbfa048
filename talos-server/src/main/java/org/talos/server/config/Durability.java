// SPDX-License-Identifier: Apache-2.0
package org.talos.server.config;

/** The fault that an acknowledged put survives: {@code log.durability}. */
public enum Durability {
    /** Power loss: the bytes are synced to the disk. */
    FSYNC,
    /** The end of the process: the operating system has the bytes, the disk may not yet. */
    FLUSH
}
