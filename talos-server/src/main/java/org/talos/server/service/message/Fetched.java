// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.message;

import java.nio.ByteBuffer;
import java.util.List;
import org.talos.server.log.Slice;
import org.talos.server.partition.serving.BlockMapping;
import org.talos.server.storage.LogId;
import org.talos.thrift.MessageBlock;

/**
 * The result of a fetch. Immutable.
 *
 * @param log that was read
 * @param startOffset of the oldest message that there is
 * @param endOffset one past the newest message that there is
 * @param blocks whole blocks: the first may begin before the requested offset
 */
public record Fetched(LogId log, long startOffset, long endOffset, List<MessageBlock> blocks) {
    /** Returns the stored attributes of a block that no SDK sets; mostly none. */
    public static ByteBuffer attributes(MessageBlock block) {
        return BlockMapping.attributes(block);
    }

    /** Returns the bytes of the blocks together. */
    public long bytes() {
        long bytes = 0;
        for (MessageBlock each : blocks) {
            bytes += each.bufferForMessageBlock().remaining();
        }
        return bytes;
    }

    /** Returns the blocks of a read in the form of the wire. */
    public static Fetched of(LogId log, Slice slice) {
        return new Fetched(
                log,
                slice.startOffset(),
                slice.durableEnd(),
                slice.blocks().stream().map(BlockMapping::toWire).toList());
    }
}
