// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log;

import java.util.Optional;
import org.talos.server.log.EntryFormat.Entry;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.SegmentReader;
import org.talos.server.storage.StorageException;

/**
 * What the entries of a segment are found to be when all are read and their checksums compared. Immutable.
 *
 * @param endOffset one past the last message of the whole entries, from the first on
 * @param bytes up to where they stand
 * @param entries how many there are
 * @param followed whether a whole entry stands behind what is none: that is damage, and no torn end
 * @param misplaced the first offset that is not the next one; the scan has ended before it
 */
public record SegmentInspection(long endOffset, long bytes, long entries, boolean followed, Optional<Long> misplaced) {
    /** Reads a segment up to a length. Blocks. */
    public static SegmentInspection of(SegmentReader reader, SegmentName name, long length) throws StorageException {
        SegmentScan scan = new SegmentScan(reader, name, 0, length);
        long expected = name.baseOffset();
        long position = 0;
        long entries = 0;
        for (Optional<Entry> entry = scan.next(); entry.isPresent(); entry = scan.next()) {
            StoredBlock stored = entry.get().stored();
            if (stored.baseOffset() != expected) {
                return new SegmentInspection(expected, position, entries, true, Optional.of(stored.baseOffset()));
            }
            expected = stored.endOffset();
            position = scan.position();
            entries++;
        }
        return new SegmentInspection(
                expected, position, entries, position < length && scan.entryFollows(), Optional.empty());
    }
}
