// SPDX-License-Identifier: Apache-2.0
package org.talos.server.transfer.wire;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import org.apache.thrift.TException;
import org.apache.thrift.protocol.TMessage;
import org.apache.thrift.protocol.TMessageType;
import org.apache.thrift.protocol.TProtocol;
import org.talos.common.wire.ChunkedOutput;
import org.talos.common.wire.ThriftEncoding;
import org.talos.common.wire.Wire;
import org.talos.server.log.Put;
import org.talos.server.log.Slice;
import org.talos.server.partition.serving.LogBounds;
import org.talos.server.partition.serving.ReadRequest;
import org.talos.server.storage.LogId;

/**
 * What is asked of another server, as its sender knows it. Immutable.
 *
 * @param method name of the call
 * @param mayTakeEffect whether asking twice would not be the same as asking once
 * @param waits whether the other server may take its time to answer although nothing is wrong
 * @param fields of the call, behind the hop
 * @param reader of the result
 */
public record Request<R>(
        String method, boolean mayTakeEffect, boolean waits, FieldsWriter.Body fields, ResultReader<R> reader) {
    public static final String PUT = "put";
    public static final String READ = "read";
    public static final String BOUNDS = "bounds";
    public static final String OFFSET_AT_TIME = "offsetAtTime";
    public static final String UNANSWERED = "unanswered";

    private static final int HOP = 1;

    /** Makes a result of an answer's field 0. */
    interface ResultReader<R> {
        public R read(Fields result) throws TException;
    }

    public static Request<Long> put(LogId id, Put put) {
        return new Request<>(PUT, true, false, fields -> Structs.writePut(fields, id, put), result -> result.number(1));
    }

    public static Request<Slice> read(LogId id, ReadRequest read) {
        return new Request<>(
                READ, false, read.waitNanos() > 0, fields -> Structs.writeRead(fields, id, read), Structs::readSlice);
    }

    public static Request<Map<LogId, LogBounds>> bounds(List<LogId> ids) {
        return new Request<>(
                BOUNDS, false, false, fields -> fields.structs(2, ids, Structs::writeLog), Structs::readBounds);
    }

    public static Request<Long> offsetAtTime(LogId id, long timeMillis) {
        return new Request<>(
                OFFSET_AT_TIME,
                false,
                false,
                fields -> fields.struct(2, log -> Structs.writeLog(log, id)).number(3, timeMillis),
                result -> result.number(1));
    }

    public static Request<Boolean> unanswered(ByteBuffer connectionId, long requestId) {
        return new Request<>(
                UNANSWERED,
                false,
                false,
                fields -> fields.bytes(2, connectionId).number(3, requestId),
                result -> true);
    }

    /** The message, for a request whose time ends in so many nanoseconds. */
    public List<ByteBuffer> message(long id, String caller, long remainingNanos) throws TException {
        ChunkedOutput output = new ChunkedOutput();
        TProtocol out = Wire.writer(ThriftEncoding.COMPACT, output);
        out.writeMessageBegin(new TMessage(method, TMessageType.CALL, (int) id));
        new FieldsWriter(out).struct(call -> {
            call.struct(HOP, hop -> hop.text(1, caller).number(2, remainingNanos));
            fields.write(call);
        });
        out.writeMessageEnd();
        return output.finish();
    }
}
