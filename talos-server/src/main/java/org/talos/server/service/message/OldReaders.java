// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.message;

import java.nio.ByteBuffer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.common.error.TalosException;
import org.talos.common.message.MalformedBlockException;
import org.talos.common.message.MessageBlocks;
import org.talos.server.log.StoredBlock;
import org.talos.server.partition.serving.BlockMapping;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.MessageBlock;
import org.talos.thrift.MessageCompressionType;

/**
 * Serves blocks to the older Java SDK that it can't read as they are: ZSTD and LZ4 make its whole answer unreadable,
 * and a Kafka batch passes for a message of a gigabyte. They are rewritten for it, as Snappy. Immutable.
 */
final class OldReaders {
    private static final Logger LOG = LoggerFactory.getLogger(OldReaders.class);
    private static final long MAX_PLAIN_BYTES = 64L << 20;

    private OldReaders() {}

    static boolean cannotRead(StoredBlock stored) {
        int compression = stored.block().compression();
        return compression > MessageCompressionType.GZIP.getValue()
                || (compression == MessageCompressionType.NONE.getValue()
                        && MessageBlocks.isKafkaBatch(stored.block().bytes()));
    }

    /**
     * Rewrites a block with its messages and offsets so that the older SDK can read it. Costs CPU: in the pool only.
     */
    static MessageBlock readable(StoredBlock stored) {
        MessageBlock block = BlockMapping.toWire(stored);
        try {
            ByteBuffer bytes = MessageBlocks.rewrite(block, MessageCompressionType.SNAPPY, MAX_PLAIN_BYTES);
            block.setMessageBlock(bytes);
            block.setMessageBlockSize(bytes.remaining());
            block.setCompressionType(MessageCompressionType.SNAPPY);
            return block;
        } catch (MalformedBlockException e) {
            LOG.warn("block can't be rewritten for an old reader offset={}", stored.baseOffset(), e);
            throw TalosException.refused(
                    ErrorCode.MESSAGE_MISSING, "the block at " + stored.baseOffset() + " can't be read by this SDK");
        }
    }
}
