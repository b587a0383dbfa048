// SPDX-License-Identifier: Apache-2.0
package org.talos.server.partition.serving;

import java.nio.ByteBuffer;
import org.apache.thrift.TException;
import org.talos.common.error.Effect;
import org.talos.common.error.TalosException;
import org.talos.common.message.MalformedBlockException;
import org.talos.common.message.MessageBlocks;
import org.talos.common.message.TraceParent;
import org.talos.common.wire.ThriftEncoding;
import org.talos.common.wire.Wire;
import org.talos.server.log.Block;
import org.talos.server.log.StoredBlock;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.MessageBlock;
import org.talos.thrift.MessageCompressionType;

/**
 * Converts blocks of the wire to blocks of the log, and back. The bytes are never changed. Fields that no SDK sets are
 * kept as the block's attributes: a MessageBlock with only those fields, in compact encoding, without bytes.
 *
 * <p>Immutable.
 */
public final class BlockMapping {
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private BlockMapping() {}

    /**
     * Converts a block of a put.
     *
     * @throws TalosException MESSAGE_INCOMPLETE: it contradicts its own head
     */
    public static Block toLog(MessageBlock block) {
        try {
            MessageBlocks.checkClaims(block);
        } catch (MalformedBlockException e) {
            throw TalosException.refused(ErrorCode.MESSAGE_INCOMPLETE, e.getMessage());
        }
        return new Block(
                block.getMessageNumber(),
                block.getCompressionType().getValue(),
                block.getCreateTimestamp(),
                attributes(block),
                block.bufferForMessageBlock());
    }

    /** Returns the attributes of a block that no SDK sets, as the log keeps them: empty for nearly all. */
    public static ByteBuffer attributes(MessageBlock block) {
        boolean rare = block.isSetCreateTimestampList()
                || block.isSetTransactionId()
                || block.isSetTag()
                || block.isSetTagCode()
                || block.isSetTraceparent();
        if (!rare) {
            return NOTHING;
        }
        MessageBlock kept = new MessageBlock(0, 0, MessageCompressionType.NONE, NOTHING);
        copyRare(block, kept);
        try {
            return ByteBuffer.wrap(Wire.bytes(ThriftEncoding.COMPACT, kept));
        } catch (TException e) {
            throw new TalosException(ErrorCode.MESSAGE_INCOMPLETE, Effect.NONE, "a block that cannot be kept", e);
        }
    }

    private static void copyRare(MessageBlock from, MessageBlock to) {
        if (from.isSetCreateTimestampList()) {
            to.setCreateTimestampList(from.getCreateTimestampList());
        }
        if (from.isSetTransactionId()) {
            to.setTransactionId(from.getTransactionId());
        }
        if (from.isSetTag()) {
            to.setTag(from.getTag());
        }
        if (from.isSetTagCode()) {
            to.setTagCode(from.getTagCode());
        }
        if (from.isSetTraceparent()) {
            TraceParent.of(from.getTraceparent()).ifPresent(to::setTraceparent);
        }
    }

    /** Converts a stored block for a get, with its bytes by reference. */
    public static MessageBlock toWire(StoredBlock stored) {
        Block block = stored.block();
        MessageCompressionType compression = MessageCompressionType.findByValue(block.compression());
        if (compression == null) {
            throw new IllegalStateException("stored block of compression " + block.compression());
        }
        MessageBlock shown = new MessageBlock(stored.baseOffset(), block.messages(), compression, stored.bytes());
        shown.setMessageBlockSize(block.bytes().remaining());
        shown.setAppendTimestamp(stored.appendTimestamp());
        if (block.createTimestamp() != 0) {
            shown.setCreateTimestamp(block.createTimestamp());
        }
        if (block.attributes().hasRemaining()) {
            copyRare(attributes(block.attributes().duplicate()), shown);
        }
        return shown;
    }

    private static MessageBlock attributes(ByteBuffer bytes) {
        byte[] copy = new byte[bytes.remaining()];
        bytes.get(copy);
        MessageBlock rare = new MessageBlock();
        try {
            rare.read(Wire.reader(ThriftEncoding.COMPACT, copy, 0, copy.length));
        } catch (TException e) {
            throw new IllegalStateException("stored attributes cannot be read", e);
        }
        return rare;
    }
}
