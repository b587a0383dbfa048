// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log.checksum;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.OptionalLong;
import java.util.PriorityQueue;
import java.util.zip.CRC32C;

/**
 * Finds the first true one of many claims about a file's bytes, while the bytes are read once. A claim states the
 * checksums of two consecutive ranges. Claims may overlap, as a client's bytes may look like the heads of entries.
 * Reading the ranges of each claim would take time proportional to the square of the client's bytes.
 *
 * <p>The bytes that were read, followed by the bytes with a claimed checksum, have a checksum too. It is computed when
 * the claim is made, and compared once that much has been read.
 *
 * <p>Confined: one search.
 */
public final class Claims {
    private final int most;
    private final CRC32C read = new CRC32C(); // of all bytes so far
    private long position;
    private final PriorityQueue<Claim> due = new PriorityQueue<>(Comparator.comparingLong(claim -> claim.at));
    private final Deque<Claim> open = new ArrayDeque<>(); // in their order; some behind the first are decided
    private OptionalLong found = OptionalLong.empty();

    /**
     * No claims yet.
     *
     * @param position of the first byte that will be read
     * @param most largest number of open claims, of less than 100 bytes of memory each
     */
    public Claims(long position, int most) {
        this.position = position;
        this.most = most;
    }

    /** One claim. Confined: as its search. */
    private static final class Claim {
        private final long start;
        private final long end;
        private final int checksumAtEnd;
        private long at; // where it is looked at next ...
        private int checksum; // ... and the expected checksum of all bytes up to there
        private boolean isLast; // then it is decided
        private boolean decided;

        Claim(long start, long at, int checksum, long end, int checksumAtEnd) {
            this.start = start;
            this.at = at;
            this.checksum = checksum;
            this.end = end;
            this.checksumAtEnd = checksumAtEnd;
        }
    }

    /** Returns whether no further claim can be made before one is decided. */
    public boolean isFull() {
        return open.size() >= most;
    }

    /** Returns whether no claim waits that could be the first true one. */
    public boolean isDecided() {
        return open.isEmpty();
    }

    /** Returns the begin of the first claim that has turned out to be true. */
    public OptionalLong found() {
        return found;
    }

    /**
     * Makes a claim that begins at the next byte to be read.
     *
     * @param known of the first bytes, about which nothing is claimed
     * @param first claimed checksum of the next bytes
     * @param second claimed checksum of the bytes behind them
     */
    public void claim(Checksum known, Checksum first, Checksum second) {
        Checksum behindFirst =
                new Checksum((int) read.getValue(), position).then(known).then(first);
        Checksum behindSecond = behindFirst.then(second);
        Claim claim =
                new Claim(position, behindFirst.bytes(), behindFirst.crc(), behindSecond.bytes(), behindSecond.crc());
        due.add(claim);
        open.addLast(claim);
    }

    /** Reads the next bytes; the buffer does not move. */
    public void read(ByteBuffer bytes) {
        ByteBuffer left = bytes.duplicate();
        while (left.hasRemaining()) {
            int count = left.remaining();
            if (!due.isEmpty()) {
                count = (int) Math.min(count, due.element().at - position);
            }
            read.update(left.slice(left.position(), count));
            left.position(left.position() + count);
            position += count;
            decideDue();
        }
    }

    private void decideDue() {
        while (!due.isEmpty() && due.element().at == position) {
            decide(due.remove());
        }
        while (!open.isEmpty() && (open.element().decided || isBehindFound(open.element()))) {
            open.remove();
        }
    }

    private boolean isBehindFound(Claim claim) {
        return found.isPresent() && claim.start > found.getAsLong();
    }

    private void decide(Claim claim) {
        boolean holds = claim.checksum == (int) read.getValue() && !isBehindFound(claim);
        if (holds && !claim.isLast) {
            claim.isLast = true;
            claim.at = claim.end;
            claim.checksum = claim.checksumAtEnd;
            due.add(claim);
            return;
        }
        claim.decided = true;
        if (holds) {
            found = OptionalLong.of(claim.start);
        }
    }
}
