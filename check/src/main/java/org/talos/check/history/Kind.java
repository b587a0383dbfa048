// SPDX-License-Identifier: Apache-2.0
package org.talos.check.history;

/** The kind of an operation. Immutable. */
public enum Kind {
    /** Values put to one partition, together; entries: these values, with offsets as far as the answer names them. */
    SEND,
    /**
     * A read; entries: the values, in the order in which they came; marks: per partition the offset asked for and the
     * next one.
     */
    POLL,
    /** From here on the process reads other partitions, or from other offsets. */
    ASSIGN,
    /** The process has joined its group again, or was assigned other partitions. */
    SUBSCRIBE,
    /** The process's client was discarded and replaced by a new one. */
    CRASH,
    /** A commit of the group's offsets; marks: the next offset of each partition, twice. */
    COMMIT,
    /** A query of the group's committed offsets; marks as for {@link #COMMIT}. */
    COMMITTED,
    /** A query of the start and end offsets of partitions; marks: both. */
    OFFSETS,
    /** The topic of these partitions was deleted; marks name them. */
    DELETE,
    /** A fault begins; the note says which. */
    FAULT,
    /** The fault of the same note is over. */
    HEAL,
    /** The last reads, of partitions or of a group: OK if they were complete, INFO if time ran out. */
    DRAIN
}
