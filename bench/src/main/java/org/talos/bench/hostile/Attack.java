// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.hostile;

import java.io.IOException;
import java.util.Locale;

/** The kinds of attack, of a client without a key and of a user who owns topics. */
enum Attack {
    UNKNOWN_FIELDS("unknown fields", 2, OwnerAttacks::unknownFields),
    TRICKLED_BODIES("trickled bodies", 1, OwnerAttacks::trickledBodies),
    TRICKLED_CHUNKS("trickled chunks", 1, OwnerAttacks::trickledChunks),
    LONG_BODIES("long chunked bodies", 2, OwnerAttacks::longBodies),
    TINY_BLOCKS("tiny blocks", 2, OwnerAttacks::tinyBlocks),
    HUGE_BLOCKS("huge blocks", 1, OwnerAttacks::hugeBlocks),
    REPEATED_PUTS("repeated puts", 4, OwnerAttacks::repeatedPuts),
    EXPIRING("deadlines that expire", 1, OwnerAttacks::expiring),
    SLOW_READERS("slow readers", 1, OwnerAttacks::slowReaders),
    DEAF_READERS("deaf readers", 1, OwnerAttacks::deafReaders),
    CLOSED_WINDOWS("closed windows", 1, OwnerAttacks::closedWindows),
    CUT_POLLS("polls that are cut", 1, OwnerAttacks::cutPolls),
    EVENTS("events unread", 1, OwnerAttacks::events),
    ENDLESS_LINES("lines without an end", 1, OwnerAttacks::endlessLines),
    GROUPS("groups", 1, OwnerAttacks::groups),
    LARGE_READS("long reads of small blocks", 1, ReadAttacks::largeReads),
    LARGE_GETS("gets of control characters", 4, ReadAttacks::largeGets),
    HELD_GETS("300 such gets, read slowly", 1, ReadAttacks::heldGets),
    HTTP_2_GETS("100 gets on each HTTP/2 connection", 1, ReadAttacks::http2Gets),
    TOPICS("topics with large attributes", 2, ReadAttacks::topics),
    IDLE("no key: idle", 1, KeylessAttacks::idle),
    HALF_HEADS("no key: half a head of HTTP/1.1", 1, KeylessAttacks::halfHeads),
    HALF_HTTP_2_HEADS("no key: half a head of HTTP/2", 1, KeylessAttacks::halfHttp2Heads),
    HALF_RECORDS("no key: half a record of TLS", 1, KeylessAttacks::halfRecords),
    UNREAD_PAGES("no key: pages unread", 1, KeylessAttacks::unreadPages),
    PAGE_RESETS("no key: resets of blocked answers", 6, PageResets::new);

    private final String label;
    private final int threads;

    @SuppressWarnings("ImmutableEnumChecker") // a method of a class without fields
    private final Beginning beginning;

    /** Begins an attack. Thread-safe. */
    @FunctionalInterface
    private interface Beginning {
        Attacker begin(HostileRequests requests) throws IOException;
    }

    Attack(String label, int threads, Beginning beginning) {
        this.label = label;
        this.threads = threads;
        this.beginning = beginning;
    }

    /** Returns the name for a person. */
    String label() {
        return label;
    }

    /** Returns the name for the command line. */
    String option() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Returns the number of attackers of this kind, each on a thread of its own. */
    int threads() {
        return threads;
    }

    /** Returns whether the kind needs no key, and takes its part of the connections without a key. */
    boolean isKeyless() {
        return this == IDLE
                || this == HALF_HEADS
                || this == HALF_HTTP_2_HEADS
                || this == HALF_RECORDS
                || this == UNREAD_PAGES;
    }

    /**
     * Begins; may connect.
     *
     * @param requests the attacker's own
     */
    Attacker begin(HostileRequests requests) throws IOException {
        return beginning.begin(requests);
    }
}
