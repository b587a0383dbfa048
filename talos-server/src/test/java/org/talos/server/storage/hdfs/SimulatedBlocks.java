// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.hdfs;

import java.io.IOException;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The blocks of one file on all its DataNodes: what their systems have in memory, and how much of it is on the disks. A
 * sync reaches the block that is being written; a block that fills up or is closed is synced only if the file was made
 * with SYNC_BLOCK, and one that DataNodes end or cut by themselves never is.
 *
 * <p>Confined: the simulation's thread.
 */
final class SimulatedBlocks {
    private static final long NEVER = Long.MAX_VALUE;
    private final int blockBytes;
    private final TreeMap<Integer, Integer> synced = new TreeMap<>(); // by block: its first bytes that are on the disks
    private final TreeSet<Integer> corrupt = new TreeSet<>();
    private boolean syncsEnds;
    private long unsettledSince = NEVER; // the last block was ended or cut by DataNodes, and not synced since

    /** @param syncsEnds whether each block is synced when it is full or the file is closed */
    SimulatedBlocks(int blockBytes, boolean syncsEnds) {
        this.blockBytes = blockBytes;
        this.syncsEnds = syncsEnds;
    }

    /** DataNodes have the file up to a length: the blocks before are full. */
    void reached(int length) {
        if (syncsEnds) {
            for (int block = 0; (block + 1) * blockBytes <= length; block++) {
                synced.put(block, blockBytes);
            }
        }
    }

    /** The writer has the block synced that it writes; none if the last one is full. */
    void sync(int length) {
        if (length % blockBytes != 0) {
            synced.put(length / blockBytes, length % blockBytes);
        }
    }

    /** The writer closes the file. */
    void close(int length) {
        if (syncsEnds) {
            sync(length);
            unsettledSince = NEVER;
        }
    }

    /** DataNodes end the last block without its writer, or cut it. */
    void changedByDataNodes(int length, long nowNanos) {
        int last = length / blockBytes;
        synced.tailMap(last, false).clear();
        synced.computeIfPresent(last, (block, bytes) -> Math.min(bytes, length % blockBytes));
        unsettledSince = length % blockBytes == 0 ? NEVER : nowNanos;
    }

    /**
     * A server died that may have been about to sync what DataNodes have ended: their systems write it in time.
     *
     * @param endedAfterNanos of what was ended before, somebody else has had the time to sync it
     */
    void leftToPageCache(int length, long endedAfterNanos) {
        if (unsettledSince != NEVER && unsettledSince > endedAfterNanos) {
            sync(length);
            unsettledSince = NEVER;
        }
    }

    /** The file is written again behind its end. */
    void append(boolean syncing) {
        syncsEnds = syncing;
    }

    /** Whole blocks of a file that is being written. */
    int wholeBlocks(int length) {
        return length / blockBytes * blockBytes;
    }

    /**
     * The power of all DataNodes fails and comes back. Of what was not synced they have some first bytes, or none. A
     * block whose length the NameNode has recorded counts as corrupt if they have fewer, or if its change of name was
     * lost.
     *
     * @param endedAfterNanos spares the last block if DataNodes have ended it since
     * @return length of a file that is being written; else it stays
     */
    int powerOff(Random random, int length, boolean closed, long endedAfterNanos) {
        int last = length / blockBytes;
        int lastBytes = length % blockBytes;
        for (int block = 0; block < last; block++) {
            restart(block, blockBytes, random, false);
        }
        if (lastBytes == 0) {
            return length;
        }
        if (closed) {
            boolean spared = unsettledSince != NEVER && unsettledSince > endedAfterNanos;
            if (!spared) {
                restart(last, lastBytes, random, unsettledSince != NEVER);
            }
            return length;
        }
        int left = left(last, lastBytes, random);
        synced.put(last, left);
        return last * blockBytes + left;
    }

    private int left(int block, int bytes, Random random) {
        int sure = synced.getOrDefault(block, 0);
        return sure == bytes || random.nextBoolean() ? bytes : sure + random.nextInt(bytes - sure);
    }

    private void restart(int block, int bytes, Random random, boolean mayHaveOldName) {
        if (left(block, bytes, random) < bytes || (mayHaveOldName && random.nextBoolean())) {
            corrupt.add(block);
        }
        synced.put(block, bytes);
    }

    /** All replicas of the first block are lost. */
    void lose() {
        corrupt.add(0);
    }

    /** Returns whether some block is lost. */
    boolean isCorrupt() {
        return !corrupt.isEmpty();
    }

    /** Throws what a reader of lost bytes gets. */
    void requireReadable(long from, long to) throws IOException {
        for (int block : corrupt) {
            if (from < (block + 1L) * blockBytes && to > (long) block * blockBytes) {
                throw new IOException("could not obtain block " + block);
            }
        }
    }
}
