// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log.dedupe;

import java.util.Arrays;
import java.util.Optional;

/**
 * Puts in the order of their arrival, found by their identity. Puts are kept in arrays of numbers: each stays long
 * after its request has ended, and objects would be most of the work of a collector of young objects.
 *
 * <p>Entries lie one after another in chunks. Entries that are removed from the middle stay as gaps, until there are
 * more gaps than entries. A hash table with linear probing has the place of each entry, and enough of its identity to
 * be rebuilt without reading entries.
 *
 * <p>Confined: to its owner's lock.
 */
public final class RememberedPuts {
    /**
     * Bytes of memory of a put: its entry, and its part of the table when that has just grown. With gaps, or after many
     * more puts, it is up to twice as much.
     */
    public static final int BYTES_OF_PUT = 100;

    private static final int PUTS_OF_CHUNK = 16;
    private static final int LEAST_TABLE = 16;
    private static final int SHRINKS_BELOW = 8; // of so many places one is taken
    private static final long FREE = -1;

    // fields of an entry
    private static final int HIGH = 0;
    private static final int LOW = 1;
    private static final int CONTENT_HIGH = 2;
    private static final int CONTENT_LOW = 3;
    private static final int FIRST_OFFSET = 4;
    private static final int NANOS = 5;
    private static final int STATE = 6; // its number and, in the lowest bit, whether it may be unanswered
    private static final int FIELDS = 7;
    private static final long GAP = -1;
    private static final long[] NONE = {};
    private static final long[][] NO_CHUNKS = {};

    private long[][] chunks = NO_CHUNKS; // a ring: of a position the chunk position / PUTS_OF_CHUNK
    private long[] table =
            NONE; // the upper half of a place is the entry's tag, the lower one its position's lower half
    private long head; // the oldest entry's position
    private long tail;
    private int size;
    private long added;

    /**
     * A put that is remembered. Immutable.
     *
     * @param number its own among all that were ever added
     * @param firstOffset of its first message
     * @param nanos when it came, of the monotonic clock
     * @param isUnanswered whether its client may not have learned of its success
     */
    public record Remembered(PutIdentity identity, long number, long firstOffset, long nanos, boolean isUnanswered) {}

    /** No puts. */
    public RememberedPuts() {
        this(0);
    }

    /** Creates an empty set, as if this number of puts had come and gone. */
    RememberedPuts(long gone) {
        head = gone;
        tail = gone;
    }

    /** Adds a put behind all others, in place of one with the same identity. */
    public Remembered add(PutIdentity identity, long firstOffset, long nanos) {
        int known = placeOf(identity);
        if (known >= 0) {
            remove(known);
        }
        if (tail - head > 2L * size + PUTS_OF_CHUNK) {
            closeGaps();
        }
        if (2 * (size + 1) > table.length) {
            resize(Math.max(LEAST_TABLE, 2 * table.length));
        }
        long[] chunk = chunkForTail();
        int at = at(tail);
        chunk[at + HIGH] = identity.high();
        chunk[at + LOW] = identity.low();
        chunk[at + CONTENT_HIGH] = identity.contentHigh();
        chunk[at + CONTENT_LOW] = identity.contentLow();
        chunk[at + FIRST_OFFSET] = firstOffset;
        chunk[at + NANOS] = nanos;
        chunk[at + STATE] = added << 1;
        insert(table, place(tag(identity.low()), tail));
        tail++;
        size++;
        return new Remembered(identity, added++, firstOffset, nanos, false);
    }

    /** Returns the put with an identity. */
    public Optional<Remembered> find(PutIdentity identity) {
        int place = placeOf(identity);
        if (place < 0) {
            return Optional.empty();
        }
        long position = position(table[place]);
        long[] chunk = chunk(position);
        int at = at(position);
        PutIdentity found =
                new PutIdentity(chunk[at + HIGH], chunk[at + LOW], chunk[at + CONTENT_HIGH], chunk[at + CONTENT_LOW]);
        long state = chunk[at + STATE];
        return Optional.of(
                new Remembered(found, state >>> 1, chunk[at + FIRST_OFFSET], chunk[at + NANOS], (state & 1) != 0));
    }

    /** Notes whether the client may not have learned of a put's success, if that is still remembered. */
    public void mark(Remembered put, boolean unanswered) {
        int place = placeOf(put);
        if (place >= 0) {
            long position = position(table[place]);
            chunk(position)[at(position) + STATE] = put.number << 1 | (unanswered ? 1 : 0);
        }
    }

    /** Removes a put, if it is still remembered. */
    public void remove(Remembered put) {
        int place = placeOf(put);
        if (place >= 0) {
            remove(place);
        }
    }

    /** Returns the arrival time of the oldest put; there must be one. */
    public long oldestNanos() {
        return chunk(head)[at(head) + NANOS];
    }

    /** Removes the oldest put; there must be one. */
    public void removeOldest() {
        remove(placeOf(head));
    }

    /** Removes all. */
    public void clear() {
        chunks = NO_CHUNKS;
        table = NONE;
        head = tail;
        size = 0;
    }

    /** Returns the number of puts. */
    public int size() {
        return size;
    }

    private int placeOf(Remembered put) {
        int place = placeOf(put.identity);
        if (place < 0) {
            return place;
        }
        long position = position(table[place]);
        return chunk(position)[at(position) + STATE] >>> 1 == put.number ? place : -1;
    }

    private int placeOf(PutIdentity identity) {
        if (size == 0) {
            return -1;
        }
        int tag = tag(identity.low());
        int mask = table.length - 1;
        for (int i = tag & mask; table[i] != FREE; i = (i + 1) & mask) {
            if (tagOf(table[i]) == tag && isAt(position(table[i]), identity)) {
                return i;
            }
        }
        return -1;
    }

    private boolean isAt(long position, PutIdentity identity) {
        long[] chunk = chunk(position);
        int at = at(position);
        return chunk[at + HIGH] == identity.high() && chunk[at + LOW] == identity.low();
    }

    private int placeOf(long position) {
        long place = place(tag(chunk(position)[at(position) + LOW]), position);
        int mask = table.length - 1;
        int i = tagOf(place) & mask;
        while (table[i] != place) {
            if (table[i] == FREE) {
                throw new IllegalStateException("no place of the entry at " + position);
            }
            i = (i + 1) & mask;
        }
        return i;
    }

    /** Removes the entry at a place of the table. */
    private void remove(int place) {
        long position = position(table[place]);
        chunk(position)[at(position) + STATE] = GAP;
        free(place);
        size--;
        if (size == 0) {
            clear();
            return;
        }
        skipGaps();
        if (table.length > LEAST_TABLE && (long) size * SHRINKS_BELOW < table.length) {
            resize(table.length / 2);
        }
    }

    /** Frees a place of the table, and moves up the entries behind it that belong there. */
    private void free(int place) {
        int mask = table.length - 1;
        int hole = place;
        for (int i = (hole + 1) & mask; table[i] != FREE; i = (i + 1) & mask) {
            int wanted = tagOf(table[i]) & mask;
            if (((i - wanted) & mask) >= ((i - hole) & mask)) {
                table[hole] = table[i];
                hole = i;
            }
        }
        table[hole] = FREE;
    }

    private void skipGaps() {
        while (chunk(head)[at(head) + STATE] == GAP) {
            head++;
            if (head % PUTS_OF_CHUNK == 0) {
                chunks[chunkIndex(head - 1)] = NONE;
            }
        }
    }

    /** Puts all entries behind the last one, the oldest first, and so without gaps. */
    private void closeGaps() {
        long end = tail;
        while (head < end) {
            int place = placeOf(head);
            long[] from = chunk(head);
            int at = at(head);
            System.arraycopy(from, at, chunkForTail(), at(tail), FIELDS);
            table[place] = place(tagOf(table[place]), tail);
            from[at + STATE] = GAP;
            tail++;
            skipGaps();
        }
    }

    private void resize(int length) {
        long[] resized = new long[length];
        Arrays.fill(resized, FREE);
        for (long place : table) {
            if (place != FREE) {
                insert(resized, place);
            }
        }
        table = resized;
    }

    private static void insert(long[] table, long place) {
        int mask = table.length - 1;
        int i = tagOf(place) & mask;
        while (table[i] != FREE) {
            i = (i + 1) & mask;
        }
        table[i] = place;
    }

    private long[] chunk(long position) {
        return chunks[chunkIndex(position)];
    }

    private int chunkIndex(long position) {
        return (int) (position / PUTS_OF_CHUNK) & (chunks.length - 1);
    }

    private static int at(long position) {
        return (int) (position % PUTS_OF_CHUNK) * FIELDS;
    }

    private long[] chunkForTail() {
        long first = head / PUTS_OF_CHUNK;
        long last = tail / PUTS_OF_CHUNK;
        if (last - first >= chunks.length) {
            long[][] larger = new long[Math.max(1, 2 * chunks.length)][];
            Arrays.fill(larger, NONE);
            for (long each = first; each < last; each++) {
                larger[(int) each & (larger.length - 1)] = chunks[(int) each & (chunks.length - 1)];
            }
            chunks = larger;
        }
        int index = chunkIndex(tail);
        if (chunks[index] == NONE) {
            chunks[index] = new long[PUTS_OF_CHUNK * FIELDS];
        }
        return chunks[index];
    }

    /** Returns the part of an identity that the table holds: 31 bits, so that no place looks like a free one. */
    private static int tag(long low) {
        return (int) (low >>> 33);
    }

    private static long place(int tag, long position) {
        return (long) tag << 32 | (position & 0xffff_ffffL);
    }

    private static int tagOf(long place) {
        return (int) (place >>> 32);
    }

    /** Returns the whole position: there are never so many entries that the lower half would be ambiguous. */
    private long position(long place) {
        return head + (((int) place - (int) head) & 0xffff_ffffL);
    }
}
