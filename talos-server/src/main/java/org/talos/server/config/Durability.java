// SPDX-License-Identifier: Apache-2.0
package org.talos.server.config;

/** What an acknowledged put has survived: {@code log.durability}. */
public enum Durability {
    /** Power loss: the disk has said that it has the bytes. */
    FSYNC,
    /** The end of the process: the operating system has the bytes, the disk perhaps not yet. */
    FLUSH
}
