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
    /**
     * The group begins at the ends that its topic's partitions have when its first fetch is answered; the marks name
     * the partitions before that.
     */
    LATEST,
    /** The topic of these partitions was made, or got them. */
    CREATE,
    /**
     * The topic of these partitions was deleted, or may be from now on if that is unknown; marks name them, and in
     * their second number have for how many milliseconds other servers may not know of it.
     */
    DELETE,
    /** Remains of deleted topics in the stores in the end; marks name the topics' ids, the note says what remains. */
    LEFT,
    /** A server logged a stack trace that names a deleted topic; the mark has the topic's id. */
    LOGGED,
    /** The use of a server at one moment; marks: its heap in bytes, its threads, its open files, each by its name. */
    USED,
    /** A fault begins; the note says which, marks name its kinds. */
    FAULT,
    /** The fault of the same note is over. */
    HEAL,
    /** The last reads, of partitions or of a group: OK if they were complete, INFO if time ran out. */
    DRAIN
}
