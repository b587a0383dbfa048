// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.local;

import java.io.IOException;
import java.util.List;
import java.util.OptionalLong;
import org.talos.server.storage.journal.JournalReplay;
import org.talos.server.storage.journal.StoredFile;

/**
 * The files of a journal in a store's directory, for a replay. Immutable.
 *
 * @param isComplete whether the system has been up since the first of them was begun, or was until a start refused them
 */
record LocalJournal(Disk disk, DiskPaths paths, boolean isComplete) implements JournalReplay.Source {
    @Override
    public List<Long> numbers() throws IOException {
        return disk.list(paths.journal()).stream()
                .map(DiskPaths::journalNumber)
                .filter(OptionalLong::isPresent)
                .map(OptionalLong::getAsLong)
                .toList();
    }

    @Override
    public StoredFile open(long number) throws IOException {
        return disk.open(paths.journal(number));
    }

    @Override
    public String name(long number) {
        return paths.journal(number).toString();
    }
}
