// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest;

import java.util.ArrayList;
import java.util.List;
import org.talos.common.error.Effect;
import org.talos.common.error.TalosException;
import org.talos.common.message.MalformedBlockException;
import org.talos.common.message.MessageBlocks;
import org.talos.server.service.Fetched;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.MessageAndOffset;
import org.talos.thrift.MessageBlock;

/** Messages out of the blocks that hold them. Immutable. */
final class BlockMessages {
    /** What a block may hold once it is decompressed. */
    private static final long MAX_PLAIN_BYTES = 64L << 20;

    private BlockMessages() {}

    /** Those from the offset on; the first block may begin before it. */
    static List<MessageAndOffset> of(Fetched found, long from, int most) {
        List<MessageAndOffset> messages = new ArrayList<>();
        try {
            for (MessageBlock block : found.blocks()) {
                for (MessageAndOffset each : MessageBlocks.read(block, MAX_PLAIN_BYTES)) {
                    if (each.getMessageOffset() >= from && messages.size() < most) {
                        messages.add(each);
                    }
                }
            }
            return messages;
        } catch (MalformedBlockException e) {
            throw new TalosException(
                    ErrorCode.MESSAGE_INCOMPLETE, Effect.NONE, "a stored block can't be read: " + e.getMessage(), e);
        }
    }
}
