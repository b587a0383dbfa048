// SPDX-License-Identifier: Apache-2.0
package org.talos.server.transfer.wire;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.apache.thrift.TBase;
import org.apache.thrift.TException;
import org.apache.thrift.protocol.TField;
import org.apache.thrift.protocol.TMessage;
import org.apache.thrift.protocol.TMessageType;
import org.apache.thrift.protocol.TProtocol;
import org.apache.thrift.protocol.TProtocolException;
import org.apache.thrift.protocol.TStruct;
import org.apache.thrift.protocol.TType;
import org.jspecify.annotations.Nullable;
import org.talos.common.error.Effect;
import org.talos.common.error.Fault;
import org.talos.common.error.TalosException;
import org.talos.common.wire.ThriftEncoding;
import org.talos.common.wire.Wire;
import org.talos.server.transfer.wire.generated.WireEffect;
import org.talos.server.transfer.wire.generated.WireError;
import org.talos.server.transfer.wire.generated.WireOffsets;

/** Writes and reads answers: a result in field 0, or an error in field 1. Immutable. */
public final class Answer {
    private static final TStruct ANSWER = new TStruct("");
    private static final TField RESULT = new TField("", TType.STRUCT, (short) 0);
    private static final TField ERROR = new TField("", TType.STRUCT, (short) 1);

    private Answer() {}

    /** Returns the message that answers a request with its result. */
    public static List<ByteBuffer> result(String method, long id, TBase<?, ?> result) throws TException {
        return message(method, id, RESULT, result);
    }

    /**
     * Returns the message that answers a request with an error; the method is empty if the request could not be read.
     */
    public static List<ByteBuffer> error(String method, long id, TalosException error) throws TException {
        WireEffect effect = switch (error.effect()) {
            case NONE -> WireEffect.NONE;
            case UNKNOWN -> WireEffect.UNKNOWN;
            case DONE -> WireEffect.DONE;
        };
        WireError wire = new WireError(error.code(), effect, error.getMessage());
        error.fault().ifPresent(fault -> wire.setFault(fault.name()));
        error.damaged()
                .ifPresent(each -> wire.setDamaged(new WireOffsets(each.partition(), each.first(), each.last())));
        return message(method, id, ERROR, wire);
    }

    private static List<ByteBuffer> message(String method, long id, TField field, TBase<?, ?> content)
            throws TException {
        return Wire.written(ThriftEncoding.COMPACT, out -> {
            out.writeMessageBegin(new TMessage(method, TMessageType.REPLY, (int) id));
            out.writeStructBegin(ANSWER);
            out.writeFieldBegin(field);
            content.write(out);
            out.writeFieldEnd();
            out.writeFieldStop();
            out.writeStructEnd();
            out.writeMessageEnd();
        });
    }

    /**
     * Reads an answer.
     *
     * @throws TalosException the other server's error, as it was there
     * @throws TException it cannot be read, or is not an answer to this request
     */
    public static <R> R read(Request<R> request, Frame frame) throws TException {
        TProtocol in = frame.reader();
        TMessage head = in.readMessageBegin();
        if (head.type != TMessageType.REPLY || head.seqid != (int) frame.id()) {
            throw new TProtocolException(TProtocolException.INVALID_DATA, "answer of another call");
        }
        R result = null;
        WireError error = null;
        in.readStructBegin();
        for (TField field = in.readFieldBegin(); field.type != TType.STOP; field = in.readFieldBegin()) {
            if (field.id == RESULT.id && field.type == TType.STRUCT) {
                result = request.reader().read(in);
            } else if (field.id == ERROR.id && field.type == TType.STRUCT) {
                error = new WireError();
                error.read(in);
            } else {
                in.skip(field.type);
            }
            in.readFieldEnd();
        }
        in.readStructEnd();
        in.readMessageEnd();
        return resultOrThrow(result, error);
    }

    /** A later version may have more effects. Then the code is enough. */
    private static Optional<Fault> fault(WireError error) {
        return Arrays.stream(Fault.values())
                .filter(each -> each.name().equals(error.getFault()))
                .findFirst();
    }

    private static TalosException failure(WireError error, Effect effect) {
        if (error.isSetDamaged()) {
            WireOffsets damaged = error.getDamaged();
            TalosException.Offsets offsets =
                    new TalosException.Offsets(damaged.getPartition(), damaged.getFirst(), damaged.getLast());
            return TalosException.damaged(error.getCode(), offsets, error.getMessage(), null);
        }
        return fault(error)
                .map(fault -> TalosException.of(error.getCode(), effect, fault, error.getMessage(), null))
                .orElseGet(() -> new TalosException(error.getCode(), effect, error.getMessage()));
    }

    private static <R> R resultOrThrow(@Nullable R result, @Nullable WireError error) throws TException {
        if (error != null) {
            Effect effect = switch (error.getEffect()) {
                case NONE -> Effect.NONE;
                case UNKNOWN -> Effect.UNKNOWN;
                case DONE -> Effect.DONE;
            };
            throw failure(error, effect);
        }
        if (result == null) {
            throw new TProtocolException(TProtocolException.INVALID_DATA, "answer without result and error");
        }
        return result;
    }
}
