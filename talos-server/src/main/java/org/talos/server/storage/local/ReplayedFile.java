// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.local;

import java.io.IOException;
import java.util.List;
import org.talos.server.storage.journal.JournalFormat.Item;
import org.talos.server.storage.journal.StoredFile;

/** A segment's file into which a journal is replayed. Confined: the opening thread. */
final class ReplayedFile implements AutoCloseable {
    private final StoredFile file;
    private long length;

    ReplayedFile(StoredFile file) throws IOException {
        this.file = file;
        length = file.size();
    }

    /**
     * Returns whether an item leaves no hole. A journal keeps everything that is not on the disk in its segment. So an
     * item that does not continue the file shows that the file is not the one that was written.
     */
    boolean isJoinedBy(Item item) {
        return item.position() <= length;
    }

    void apply(Item item) throws IOException {
        if (item.cut()) {
            file.truncate(item.position());
            length = Math.min(length, item.position());
        } else {
            file.write(item.position(), List.of(item.bytes()));
            length = Math.max(length, item.position() + item.bytes().remaining());
        }
    }

    void sync() throws IOException {
        file.sync();
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
