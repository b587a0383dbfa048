// SPDX-License-Identifier: Apache-2.0
package org.talos.server.transfer.wire;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.talos.server.log.Block;
import org.talos.server.log.BlockLimits;
import org.talos.server.log.Deletion;
import org.talos.server.log.Put;
import org.talos.server.log.Slice;
import org.talos.server.log.StoredBlock;
import org.talos.server.log.gap.Gap;
import org.talos.server.partition.serving.LogBounds;
import org.talos.server.partition.serving.ReadRequest;
import org.talos.server.storage.LogId;
import org.talos.server.transfer.wire.generated.AwaitCall;
import org.talos.server.transfer.wire.generated.AwaitResult;
import org.talos.server.transfer.wire.generated.BoundsCall;
import org.talos.server.transfer.wire.generated.BoundsResult;
import org.talos.server.transfer.wire.generated.DeleteCall;
import org.talos.server.transfer.wire.generated.DeleteResult;
import org.talos.server.transfer.wire.generated.PutCall;
import org.talos.server.transfer.wire.generated.ReadCall;
import org.talos.server.transfer.wire.generated.ReadResult;
import org.talos.server.transfer.wire.generated.WireBlock;
import org.talos.server.transfer.wire.generated.WireBounds;
import org.talos.server.transfer.wire.generated.WireContext;
import org.talos.server.transfer.wire.generated.WireEnd;
import org.talos.server.transfer.wire.generated.WireLog;
import org.talos.server.transfer.wire.generated.WireOrigin;
import org.talos.server.transfer.wire.generated.WireStoredBlock;

/**
 * Turns the server's types into the generated structs and back. Bytes of blocks are not copied: a struct refers to the
 * block's buffers, a block that was read is a view of its frame. Immutable.
 */
public final class Structs {
    private Structs() {}

    static WireLog log(LogId id) {
        return new WireLog(id.topicId(), id.partition());
    }

    /** Returns the log that a request is about. */
    public static LogId log(WireLog log) {
        return new LogId(log.getTopicId(), log.getPartition());
    }

    private static WireBlock block(Block block) {
        return new WireBlock(
                block.messages(), block.compression(), block.createTimestamp(), block.attributes(), block.bytes());
    }

    private static Block block(WireBlock block) {
        return new Block(
                block.getMessages(),
                block.getCompression(),
                block.getCreateTimestamp(),
                block.bufferForAttributes().slice(),
                block.bufferForBytes().slice());
    }

    static PutCall put(WireContext context, LogId id, Put put) {
        List<WireBlock> blocks = new ArrayList<>(put.blocks().size());
        for (Block each : put.blocks()) {
            blocks.add(block(each));
        }
        WireOrigin origin = switch (put.origin()) {
            case UNIQUE -> WireOrigin.UNIQUE;
            case REPEATED -> WireOrigin.REPEATED;
        };
        return new PutCall(context, log(id), put.sequenceId(), origin, blocks);
    }

    /** Returns the messages that a put stores. */
    public static Put put(PutCall call) {
        List<Block> blocks = new ArrayList<>(call.getBlocksSize());
        for (WireBlock each : call.getBlocks()) {
            blocks.add(block(each));
        }
        Put.Origin origin = switch (call.getOrigin()) {
            case UNIQUE -> Put.Origin.UNIQUE;
            case REPEATED -> Put.Origin.REPEATED;
        };
        return new Put(call.getSequenceId(), origin, blocks);
    }

    static ReadCall read(WireContext context, LogId id, ReadRequest read) {
        return new ReadCall(
                context,
                log(id),
                read.offset(),
                read.limits().messages(),
                read.limits().bytes(),
                read.minBytes(),
                read.waitNanos());
    }

    /** Returns the request of a read. */
    public static ReadRequest read(ReadCall call) {
        BlockLimits limits = new BlockLimits(call.getMaxMessages(), call.getMaxBytes());
        return new ReadRequest(call.getOffset(), limits, call.getMinBytes(), call.getWaitNanos());
    }

    /** Returns the deletion that a request asks for. */
    public static Deletion deletion(DeleteCall call) {
        return new Deletion(call.getBefore(), call.isPreview());
    }

    /** Returns the result of a deletion. */
    public static DeleteResult deleted(Deletion.Result result) {
        return new DeleteResult(result.from(), result.to(), result.messages(), result.bytes());
    }

    static Deletion.Result deleted(DeleteResult result) {
        return new Deletion.Result(
                result.getFromOffset(), result.getToOffset(), result.getMessages(), result.getBytes());
    }

    /** Returns the result of a read. */
    public static ReadResult slice(Slice slice) {
        List<WireStoredBlock> blocks = new ArrayList<>(slice.blocks().size());
        for (StoredBlock each : slice.blocks()) {
            blocks.add(new WireStoredBlock(each.baseOffset(), each.appendTimestamp(), block(each.block())));
        }
        return new ReadResult(blocks, slice.startOffset(), slice.durableEnd());
    }

    static Slice slice(ReadResult result) {
        List<StoredBlock> blocks = new ArrayList<>(result.getBlocksSize());
        for (WireStoredBlock each : result.getBlocks()) {
            blocks.add(new StoredBlock(each.getBaseOffset(), each.getAppendTimestamp(), block(each.getBlock())));
        }
        return new Slice(blocks, result.getStartOffset(), result.getDurableEnd());
    }

    static BoundsCall bounds(WireContext context, List<LogId> ids) {
        List<WireLog> logs = new ArrayList<>(ids.size());
        for (LogId each : ids) {
            logs.add(log(each));
        }
        return new BoundsCall(context, logs);
    }

    static AwaitCall ends(WireContext context, Map<LogId, Long> ends, long waitNanos) {
        List<WireEnd> all = new ArrayList<>(ends.size());
        ends.forEach((id, offset) -> all.add(new WireEnd(log(id), offset)));
        return new AwaitCall(context, all, waitNanos);
    }

    /** Returns the logs that are awaited, each with its offset. */
    public static Map<LogId, Long> ends(AwaitCall call) {
        Map<LogId, Long> ends = new LinkedHashMap<>();
        for (WireEnd each : call.getEnds()) {
            ends.put(log(each.getLog()), each.getOffset());
        }
        return ends;
    }

    /** Returns the result of a wait. */
    public static AwaitResult found(Set<LogId> found) {
        return new AwaitResult(found.stream().map(Structs::log).toList());
    }

    static Set<LogId> found(AwaitResult result) {
        return result.getLogs().stream().map(Structs::log).collect(Collectors.toUnmodifiableSet());
    }

    /** Returns the logs whose bounds are requested. */
    public static List<LogId> logs(BoundsCall call) {
        List<LogId> ids = new ArrayList<>(call.getLogsSize());
        for (WireLog each : call.getLogs()) {
            ids.add(log(each));
        }
        return ids;
    }

    /** Returns the bounds of the logs that are served here. */
    public static BoundsResult bounds(Map<LogId, LogBounds> bounds) {
        List<WireBounds> logs = new ArrayList<>(bounds.size());
        bounds.forEach((id, each) -> logs.add(bounds(id, each)));
        return new BoundsResult(logs);
    }

    static Map<LogId, LogBounds> bounds(BoundsResult result) {
        Map<LogId, LogBounds> bounds = new LinkedHashMap<>();
        for (WireBounds each : result.getLogs()) {
            Gap gap = each.isSetGapFirst() && each.isSetGapEnd()
                    ? new Gap(each.getGapFirst(), each.getGapEnd())
                    : Gap.NONE;
            bounds.put(
                    log(each.getLog()),
                    new LogBounds(each.getStartOffset(), each.getEndOffset(), each.getBytes(), gap));
        }
        return bounds;
    }

    private static WireBounds bounds(LogId id, LogBounds bounds) {
        WireBounds wire = new WireBounds(log(id), bounds.start(), bounds.end(), bounds.bytes());
        if (!bounds.gap().equals(Gap.NONE)) {
            wire.setGapFirst(bounds.gap().first());
            wire.setGapEnd(bounds.gap().end());
        }
        return wire;
    }
}
