// SPDX-License-Identifier: Apache-2.0
package org.talos.server.transfer.wire;

import java.nio.ByteBuffer;
import java.util.List;
import org.apache.thrift.TException;
import org.apache.thrift.protocol.TMessage;
import org.apache.thrift.protocol.TMessageType;
import org.apache.thrift.protocol.TProtocol;
import org.apache.thrift.protocol.TProtocolException;
import org.talos.common.error.Effect;
import org.talos.common.error.TalosException;
import org.talos.common.wire.ChunkedOutput;
import org.talos.common.wire.ThriftEncoding;
import org.talos.common.wire.Wire;
import org.talos.thrift.ErrorCode;

/** Answers as they are sent: a result in field 0, or an error in field 1. Immutable. */
public final class Answer {
    private static final int RESULT = 0;
    private static final int ERROR = 1;

    private Answer() {}

    /** With the request's method, or an empty one if the request was not read. */
    public static List<ByteBuffer> result(String method, long id, FieldsWriter.Body result) throws TException {
        return message(method, id, fields -> fields.struct(RESULT, result));
    }

    public static List<ByteBuffer> error(String method, long id, TalosException error) throws TException {
        return message(
                method,
                id,
                fields -> fields.struct(
                        ERROR,
                        each -> each.number(1, error.code().getValue())
                                .number(2, numberOf(error.effect()))
                                .text(3, error.getMessage())));
    }

    private static List<ByteBuffer> message(String method, long id, FieldsWriter.Body body) throws TException {
        ChunkedOutput output = new ChunkedOutput();
        TProtocol out = Wire.writer(ThriftEncoding.COMPACT, output);
        out.writeMessageBegin(new TMessage(method, TMessageType.REPLY, (int) id));
        new FieldsWriter(out).struct(body);
        out.writeMessageEnd();
        return output.finish();
    }

    /**
     * Reads an answer.
     *
     * @throws TalosException the other server's error, as it was there
     * @throws TException it can't be read, or is no answer to this request
     */
    public static <R> R read(Request<R> request, Frame frame) throws TException {
        TProtocol in = frame.reader();
        TMessage head = in.readMessageBegin();
        if (head.type != TMessageType.REPLY || head.seqid != (int) frame.id()) {
            throw new TProtocolException(TProtocolException.INVALID_DATA, "answer of another call");
        }
        Fields fields = Fields.read(in);
        in.readMessageEnd();
        if (fields.has(ERROR)) {
            throw error(fields.struct(ERROR));
        }
        return request.reader().read(fields.struct(RESULT));
    }

    private static TalosException error(Fields error) throws TException {
        ErrorCode code = ErrorCode.findByValue(error.smallNumber(1));
        if (code == null) {
            throw new TProtocolException(TProtocolException.INVALID_DATA, "error code " + error.number(1));
        }
        return new TalosException(code, effectOf(error.smallNumber(2)), error.text(3));
    }

    private static int numberOf(Effect effect) {
        return switch (effect) {
            case NONE -> 0;
            case UNKNOWN -> 1;
            case DONE -> 2;
        };
    }

    private static Effect effectOf(int number) throws TException {
        return switch (number) {
            case 0 -> Effect.NONE;
            case 1 -> Effect.UNKNOWN;
            case 2 -> Effect.DONE;
            default -> throw new TProtocolException(TProtocolException.INVALID_DATA, "effect " + number);
        };
    }
}
