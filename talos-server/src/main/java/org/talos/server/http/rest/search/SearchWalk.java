// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.search;

import org.talos.common.error.TalosException;
import org.talos.server.memory.RequestMemory;
import org.talos.server.service.message.Fetch;
import org.talos.server.service.message.Fetched;

/**
 * The order in which a search reads its partitions and returns their matches. A caller reads the range of
 * {@link #nextRead}, and passes the result to {@link #look}, until {@link #isDone} or until a limit of its own.
 *
 * <p>Confined: one call after another. {@link #close} is thread-safe.
 */
interface SearchWalk extends AutoCloseable {
    /** Stored bytes of a slice, beside the block that is always allowed. */
    long SLICE_BYTES = 256 << 10;

    /** A piece with more lines than this is written before the rest of its slice is searched. */
    int PIECE_BYTES = 256 << 10;

    /**
     * The result of searching one slice. Immutable, but for the lines.
     *
     * @param lines the matches to write now, which the caller closes
     * @param partition that was searched
     * @param offset the position from which the search of that partition continues
     * @param scanned messages that were searched
     * @param skipped blocks that cannot be read
     */
    record Looked(SearchLines lines, int partition, long offset, long scanned, long skipped) {}

    /** Returns whether everything is searched, and all matches are given. */
    boolean isDone();

    /** Returns the next read; only while the walk is not done. */
    Fetch nextRead();

    /**
     * Searches the result of the read.
     *
     * @param waiting holds the blocks
     * @param most matches, at least one
     */
    Looked look(Fetched found, RequestMemory waiting, long most);

    /** Returns whether the walk continues after a read that failed, by another read. */
    boolean continuesAfter(TalosException failure);

    /** Releases the memory of matches that are not given yet, and are found again; false if there are none. */
    boolean tryFree();

    /**
     * Takes matches that are not given yet, though a newer one may still be found: for a search that a bound ends, so
     * that the next one need not find them again.
     */
    SearchLines takeRest(long most);

    /** Returns where a further search continues: an offset for each partition that is not done. */
    String position();

    /** Releases matches that are not given yet. */
    @Override
    void close();
}
