// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.local;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.talos.server.config.Durability;
import org.talos.server.config.LogConfig;
import org.talos.server.config.load.TestConfig;
import org.talos.server.runtime.thread.SystemThreads;
import org.talos.server.storage.LogId;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.SegmentReader;
import org.talos.server.storage.SegmentRows;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.journal.JournaledSegmentStore;

/** The parts that the tests of the store share. */
final class Stores {
    static final Path MOUNTED = Path.of("/disk");
    static final Path ROOT = MOUNTED.resolve("store");
    static final DiskPaths PATHS = new DiskPaths(ROOT);
    static final LogId LOG = new LogId("0123456789abcdef0123456789abcdef", 0);

    private Stores() {}

    static LogConfig config(Durability durability) {
        return TestConfig.of(LogConfig.class)
                .with("durability", durability)
                .with("segmentBytes", 1 << 20)
                .with("indexIntervalBytes", 4096)
                .with("tailCacheBytes", 1 << 20)
                .with("dedupeWindow", 100)
                .with("dedupeAge", Duration.ofMinutes(1))
                .with("dedupeBytes", 1 << 20)
                .with("journalFileBytes", 64 << 10)
                .with("maxUnwrittenBytes", 1 << 20)
                .create();
    }

    static JournaledSegmentStore open(Disk disk) throws StorageException {
        return open(disk, Durability.FSYNC);
    }

    static JournaledSegmentStore open(Disk disk, Durability durability) throws StorageException {
        return open(disk, durability, SegmentRows.NONE);
    }

    static JournaledSegmentStore open(Disk disk, Durability durability, SegmentRows rows) throws StorageException {
        return LocalSegmentStore.open(
                ROOT, config(durability), () -> 0, (bytes, write, sync) -> {}, rows, disk, new SystemThreads());
    }

    static SegmentName segment(long baseOffset) {
        return new SegmentName(LOG, baseOffset, 1);
    }

    static List<ByteBuffer> bytes(String text) {
        return List.of(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
    }

    /** All that can be read of a segment. */
    static String text(SegmentReader store, SegmentName name) throws StorageException {
        ByteBuffer target = ByteBuffer.allocate(1 << 20);
        store.read(name, 0, target);
        return StandardCharsets.UTF_8.decode(target.flip()).toString();
    }
}
