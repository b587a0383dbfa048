// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log;

import java.util.List;
import java.util.Optional;
import java.util.function.LongFunction;
import org.talos.server.log.DedupeWindow.Identity;

/**
 * Puts that were appended by one call, before they have their place in a segment.
 *
 * <p>Confined: to the thread that appends, then under the appender's lock.
 */
final class PutBatch {
    private final List<Candidate> puts;

    /** Computes all that needs no lock. */
    PutBatch(List<Put> puts) {
        this.puts = puts.stream().map(Candidate::new).toList();
    }

    List<Candidate> puts() {
        return puts;
    }

    List<PutTicket> tickets() {
        return puts.stream().map(Candidate::ticket).toList();
    }

    /** At least as many bytes as its entries will have. */
    long bytes() {
        return puts.stream().mapToLong(Candidate::bytes).sum();
    }

    /** Ends all its puts, of which nothing was appended. */
    void refuse(Exception reason) {
        puts.forEach(each -> each.ticket.firstOffset().completeExceptionally(reason));
    }

    /** A put, and how it compares with the earlier one that it may repeat. Confined: as its batch. */
    static final class Candidate {
        private static final int MAX_BYTES_OF_CHAR = 3;

        private final Put put;
        private final int[] checksums;
        private final Identity identity;
        private final PutTicket ticket = new PutTicket();
        private long comparedOffset = -1;
        private boolean same;

        Candidate(Put put) {
            this.put = put;
            checksums = new int[put.blocks().size()];
            for (int i = 0; i < checksums.length; i++) {
                checksums[i] = EntryFormat.checksum(put.blocks().get(i).bytes());
            }
            identity = DedupeWindow.identity(put, checksums);
        }

        Put put() {
            return put;
        }

        Identity identity() {
            return identity;
        }

        PutTicket ticket() {
            return ticket;
        }

        int checksum(int block) {
            return checksums[block];
        }

        private long bytes() {
            long ofEach = EntryFormat.HEADER_BYTES
                    + (long) MAX_BYTES_OF_CHAR * put.sequenceId().length();
            return put.blocks().stream()
                    .mapToLong(block -> ofEach
                            + block.attributes().remaining()
                            + block.bytes().remaining())
                    .sum();
        }

        /** To be compared with the put at an offset, by {@link #compare}. */
        void compareWith(long offset) {
            comparedOffset = offset;
            same = false;
        }

        boolean isComparedWith(long offset) {
            return comparedOffset == offset;
        }

        /** Compares the bytes; blocks as long as finding them does. */
        void compare(LongFunction<Optional<StoredBlock>> find) {
            same = hasBytesOf(comparedOffset, find);
        }

        /** Whether the put at an offset has the same bytes; not if some of them are not found. */
        boolean hasBytesOf(long firstOffset, LongFunction<Optional<StoredBlock>> find) {
            long offset = firstOffset;
            for (Block block : put.blocks()) {
                Optional<StoredBlock> stored = find.apply(offset);
                if (stored.isEmpty() || !stored.get().bytes().equals(block.bytes())) {
                    return false;
                }
                offset += block.messages();
            }
            return true;
        }

        /** Whether it was found to have the same bytes as the put at an offset. */
        boolean isSameAs(long offset) {
            return same && comparedOffset == offset;
        }
    }
}
