// SPDX-License-Identifier: Apache-2.0
package org.talos.check.history;

/** What was done. Immutable. */
public enum Kind {
    /** Values put to one partition, together; entries: them, with offsets as far as the answer names them. */
    SEND,
    /** A read; entries: what came, in the order it came; marks: per partition the offset asked for and the next one. */
    POLL,
    /** What the process reads is another set from here on, or starts from another place. */
    ASSIGN,
    /** The process is a member of its group anew, or its group has given it other partitions. */
    SUBSCRIBE,
    /** The process's client was thrown away and made anew. */
    CRASH,
    /** The group's place; marks: the next offset of each partition, twice. */
    COMMIT,
    /** A look at the group's place; marks as for {@link #COMMIT}. */
    COMMITTED,
    /** A look at where partitions begin and end; marks: both. */
    OFFSETS,
    /** The topic of these partitions was deleted; marks name them. */
    DELETE,
    /** A fault begins; the note says which. */
    FAULT,
    /** The fault of the same note is over. */
    HEAL,
    /** At the end, of partitions or of a group: OK if all that was to be seen was, INFO if time ran out. */
    DRAIN
}
