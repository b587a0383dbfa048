// SPDX-License-Identifier: Apache-2.0
package org.talos.server.transfer.wire;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.apache.thrift.TBase;
import org.apache.thrift.TException;
import org.apache.thrift.protocol.TMessage;
import org.apache.thrift.protocol.TMessageType;
import org.apache.thrift.protocol.TProtocol;
import org.jspecify.annotations.Nullable;
import org.talos.common.wire.ThriftEncoding;
import org.talos.common.wire.Wire;
import org.talos.server.log.Deletion;
import org.talos.server.log.Put;
import org.talos.server.log.Slice;
import org.talos.server.partition.serving.LogBounds;
import org.talos.server.partition.serving.ReadRequest;
import org.talos.server.storage.LogId;
import org.talos.server.transfer.wire.generated.AwaitResult;
import org.talos.server.transfer.wire.generated.BoundsResult;
import org.talos.server.transfer.wire.generated.DeleteCall;
import org.talos.server.transfer.wire.generated.DeleteResult;
import org.talos.server.transfer.wire.generated.OffsetAtTimeCall;
import org.talos.server.transfer.wire.generated.OffsetResult;
import org.talos.server.transfer.wire.generated.ReadResult;
import org.talos.server.transfer.wire.generated.UnansweredCall;
import org.talos.server.transfer.wire.generated.UnansweredResult;
import org.talos.server.transfer.wire.generated.WireContext;

/**
 * A request to another server, with the reader of its result. Immutable.
 *
 * @param method name of the call
 * @param mayTakeEffect whether a repetition would have an effect of its own
 * @param waits whether the other server may delay its answer although nothing is wrong
 * @param call makes the call's arguments
 * @param reader of the result
 */
public record Request<R>(
        String method,
        boolean mayTakeEffect,
        boolean waits,
        Function<WireContext, TBase<?, ?>> call,
        ResultReader<R> reader) {
    public static final String PUT = "put";
    public static final String READ = "read";
    public static final String BOUNDS = "bounds";
    public static final String OFFSET_AT_TIME = "offsetAtTime";
    public static final String AWAIT = "await";
    public static final String DELETE = "delete";
    public static final String UNANSWERED = "unanswered";

    /** Reads a result, field 0 of an answer. */
    interface ResultReader<R> {
        R read(TProtocol in) throws TException;
    }

    /** Stores a put that belongs to no trace. */
    public static Request<Long> put(LogId id, Put put) {
        return put(id, put, null);
    }

    /** Reads messages outside of any trace. */
    public static Request<Slice> read(LogId id, ReadRequest read) {
        return read(id, read, null);
    }

    /**
     * Stores a put; its result is the offset of its first message.
     *
     * @param traceparent of the span that it belongs to; null if to none
     */
    public static Request<Long> put(LogId id, Put put, @Nullable String traceparent) {
        return new Request<>(
                PUT, true, false, context -> Structs.put(traced(context, traceparent), id, put), Request::readOffset);
    }

    /**
     * Reads messages.
     *
     * @param traceparent of the span that it belongs to; null if to none
     */
    public static Request<Slice> read(LogId id, ReadRequest read, @Nullable String traceparent) {
        return new Request<>(
                READ,
                false,
                read.waitNanos() > 0,
                context -> Structs.read(traced(context, traceparent), id, read),
                Request::readSlice);
    }

    /** Waits until any of the logs has a message at or behind its offset; its result is the logs that have one. */
    public static Request<Set<LogId>> awaitAny(Map<LogId, Long> ends, long waitNanos) {
        return new Request<>(AWAIT, false, true, context -> Structs.ends(context, ends, waitNanos), Request::readFound);
    }

    private static WireContext traced(WireContext context, @Nullable String traceparent) {
        if (traceparent != null) {
            context.setTraceparent(traceparent);
        }
        return context;
    }

    /** Asks where logs begin and end. */
    public static Request<Map<LogId, LogBounds>> bounds(List<LogId> ids) {
        return new Request<>(BOUNDS, false, false, context -> Structs.bounds(context, ids), Request::readBounds);
    }

    /** Asks for the first offset appended at or after a time. */
    public static Request<Long> offsetAtTime(LogId id, long timeMillis) {
        return new Request<>(
                OFFSET_AT_TIME,
                false,
                false,
                context -> new OffsetAtTimeCall(context, Structs.log(id), timeMillis),
                Request::readOffset);
    }

    /** Deletes the oldest messages, or asks for a preview. */
    public static Request<Deletion.Result> delete(LogId id, Deletion deletion) {
        return new Request<>(
                DELETE,
                !deletion.preview(),
                false,
                context -> new DeleteCall(context, Structs.log(id), deletion.before(), deletion.preview()),
                Request::readDeleted);
    }

    /**
     * Reports that the client of a put was not answered. The report uses the connection of waiting reads, because it
     * must not hold a thread if a server does not answer.
     */
    public static Request<Boolean> unanswered(ByteBuffer connectionId, long requestId) {
        return new Request<>(
                UNANSWERED,
                false,
                true,
                context -> new UnansweredCall(context, connectionId, requestId),
                Request::readUnanswered);
    }

    private static long readOffset(TProtocol in) throws TException {
        OffsetResult result = new OffsetResult();
        result.read(in);
        return result.getOffset();
    }

    private static Slice readSlice(TProtocol in) throws TException {
        ReadResult result = new ReadResult();
        result.read(in);
        return Structs.slice(result);
    }

    private static Map<LogId, LogBounds> readBounds(TProtocol in) throws TException {
        BoundsResult result = new BoundsResult();
        result.read(in);
        return Structs.bounds(result);
    }

    private static Set<LogId> readFound(TProtocol in) throws TException {
        AwaitResult result = new AwaitResult();
        result.read(in);
        return Structs.found(result);
    }

    private static Deletion.Result readDeleted(TProtocol in) throws TException {
        DeleteResult result = new DeleteResult();
        result.read(in);
        return Structs.deleted(result);
    }

    private static boolean readUnanswered(TProtocol in) throws TException {
        new UnansweredResult().read(in);
        return true;
    }

    /** Returns this request as a message, with a client's name and the remaining time. */
    public List<ByteBuffer> message(long id, String caller, long remainingNanos) throws TException {
        TBase<?, ?> arguments = call.apply(new WireContext(caller, remainingNanos));
        return Wire.written(ThriftEncoding.COMPACT, out -> {
            out.writeMessageBegin(new TMessage(method, TMessageType.CALL, (int) id));
            arguments.write(out);
            out.writeMessageEnd();
        });
    }
}
