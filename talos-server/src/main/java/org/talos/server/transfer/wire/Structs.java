// SPDX-License-Identifier: Apache-2.0
package org.talos.server.transfer.wire;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.thrift.TException;
import org.apache.thrift.protocol.TProtocolException;
import org.talos.server.log.Block;
import org.talos.server.log.BlockLimits;
import org.talos.server.log.Put;
import org.talos.server.log.PutOrigin;
import org.talos.server.log.Slice;
import org.talos.server.log.StoredBlock;
import org.talos.server.partition.serving.LogBounds;
import org.talos.server.partition.serving.ReadRequest;
import org.talos.server.storage.LogId;

/** The structs of docs/formats/transfer.md, written and read. Immutable. */
public final class Structs {
    private Structs() {}

    static void writeLog(FieldsWriter out, LogId id) throws TException {
        out.text(1, id.topicId()).number(2, id.partition());
    }

    public static LogId readLog(Fields in) throws TException {
        return new LogId(in.text(1), in.smallNumber(2));
    }

    private static void writeBlock(FieldsWriter out, Block block) throws TException {
        out.number(1, block.messages())
                .number(2, block.compression())
                .number(3, block.createTimestamp())
                .bytes(4, block.attributes())
                .bytes(5, block.bytes());
    }

    private static Block readBlock(Fields in) throws TException {
        return new Block(in.smallNumber(1), in.smallNumber(2), in.number(3), in.bytes(4), in.bytes(5));
    }

    static void writePut(FieldsWriter out, LogId id, Put put) throws TException {
        out.struct(2, log -> writeLog(log, id))
                .text(3, put.sequenceId())
                .number(4, put.origin() == PutOrigin.UNIQUE ? 0 : 1)
                .structs(5, put.blocks(), Structs::writeBlock);
    }

    public static Put readPut(Fields in) throws TException {
        List<Block> blocks = new ArrayList<>();
        for (Fields each : in.structs(5)) {
            blocks.add(readBlock(each));
        }
        PutOrigin origin = switch (in.smallNumber(4)) {
            case 0 -> PutOrigin.UNIQUE;
            case 1 -> PutOrigin.REPEATED;
            default -> throw new TProtocolException(TProtocolException.INVALID_DATA, "origin of a put");
        };
        return new Put(in.text(3), origin, blocks);
    }

    static void writeRead(FieldsWriter out, LogId id, ReadRequest read) throws TException {
        out.struct(2, log -> writeLog(log, id))
                .number(3, read.offset())
                .number(4, read.limits().messages())
                .number(5, read.limits().bytes())
                .number(6, read.minBytes())
                .number(7, read.waitNanos());
    }

    public static ReadRequest readRead(Fields in) throws TException {
        BlockLimits limits = new BlockLimits(in.smallNumber(4), in.number(5));
        return new ReadRequest(in.number(3), limits, in.number(6), in.number(7));
    }

    public static void writeSlice(FieldsWriter out, Slice slice) throws TException {
        out.structs(
                        1,
                        slice.blocks(),
                        (stored, block) -> stored.number(1, block.baseOffset())
                                .number(2, block.appendTimestamp())
                                .struct(3, inner -> writeBlock(inner, block.block())))
                .number(2, slice.startOffset())
                .number(3, slice.durableEnd());
    }

    static Slice readSlice(Fields in) throws TException {
        List<StoredBlock> blocks = new ArrayList<>();
        for (Fields each : in.structs(1)) {
            blocks.add(new StoredBlock(each.number(1), each.number(2), readBlock(each.struct(3))));
        }
        return new Slice(blocks, in.number(2), in.number(3));
    }

    public static void writeBounds(FieldsWriter out, Map<LogId, LogBounds> bounds) throws TException {
        out.structs(
                1,
                List.copyOf(bounds.entrySet()),
                (each, entry) -> each.struct(1, log -> writeLog(log, entry.getKey()))
                        .number(2, entry.getValue().start())
                        .number(3, entry.getValue().end())
                        .number(4, entry.getValue().bytes()));
    }

    static Map<LogId, LogBounds> readBounds(Fields in) throws TException {
        Map<LogId, LogBounds> bounds = new LinkedHashMap<>();
        for (Fields each : in.structs(1)) {
            bounds.put(readLog(each.struct(1)), new LogBounds(each.number(2), each.number(3), each.number(4)));
        }
        return bounds;
    }
}
