// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.journal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/** A file that takes all and keeps nothing. Immutable, but for what a test adds to it. */
class KeepsNothing implements StoredFile {
    @Override
    public void write(long position, List<ByteBuffer> bytes) throws IOException {
        // keeps nothing
    }

    @Override
    public int read(long position, ByteBuffer target) {
        return 0;
    }

    @Override
    public void sync() {
        // keeps nothing
    }

    @Override
    public long size() {
        return 0;
    }

    @Override
    public void truncate(long length) {
        // keeps nothing
    }

    @Override
    public void close() {
        // keeps nothing
    }
}
