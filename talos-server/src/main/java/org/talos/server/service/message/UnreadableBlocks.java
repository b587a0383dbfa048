// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.message;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.talos.server.storage.LogId;
import org.talos.thrift.MessageBlock;

/**
 * Remembers blocks that one kind of readers could not read, so that no reader makes the server decompress them again.
 * Bounded: the one that was asked for longest ago is forgotten first.
 *
 * <p>Thread-safe.
 */
public final class UnreadableBlocks {
    private static final int MOST = 4_096; // of some 200 bytes

    @GuardedBy("this")
    private final Map<Key, UnreadableBlock> known = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Key, UnreadableBlock> eldest) {
            return size() > MOST;
        }
    };

    /** Time and size too: a log that a power failure has shortened gives offsets again. Immutable. */
    private record Key(LogId log, long offset, long appended, int bytes) {
        static Key of(LogId log, MessageBlock block) {
            return new Key(
                    log,
                    block.getStartMessageOffset(),
                    block.getAppendTimestamp(),
                    block.bufferForMessageBlock().remaining());
        }
    }

    /** Returns the known damage of a stored block; empty if it may be readable. */
    public synchronized Optional<UnreadableBlock> find(LogId log, MessageBlock block) {
        return known.isEmpty() ? Optional.empty() : Optional.ofNullable(known.get(Key.of(log, block)));
    }

    /** Remembers that a stored block cannot be read. */
    public synchronized UnreadableBlock add(LogId log, MessageBlock block, String reason) {
        long first = block.getStartMessageOffset();
        UnreadableBlock unreadable =
                new UnreadableBlock(log.partition(), first, first + block.getMessageNumber() - 1, reason);
        known.put(Key.of(log, block), unreadable);
        return unreadable;
    }
}
