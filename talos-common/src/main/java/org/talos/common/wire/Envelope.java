// SPDX-License-Identifier: Apache-2.0
package org.talos.common.wire;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import org.apache.thrift.TApplicationException;
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
import org.talos.thrift.GalaxyTalosException;

/**
 * Reads and writes Thrift messages with their envelope. A call has at most one argument, in field 1; an answer has the
 * result in field 0, the protocol's exception in field 1, or is an exception of the envelope itself.
 *
 * <p>Immutable.
 */
public final class Envelope {
    private static final TStruct STRUCT = new TStruct("");
    private static final short RESULT = 0;
    private static final short ERROR = 1;
    private static final short REQUEST = 1;

    private Envelope() {}

    /** Reads the head of a message. */
    public static EnvelopeHead readHead(TProtocol in) throws TException {
        TMessage message = in.readMessageBegin();
        return new EnvelopeHead(message.name, message.type, message.seqid);
    }

    /**
     * Reads a call's argument and its end.
     *
     * @param request request that is filled from field 1; null if the call has no argument
     * @throws TException it cannot be read, lacks the argument, or has bytes after its end
     */
    public static void readArguments(TProtocol in, @Nullable TBase<?, ?> request) throws TException {
        boolean present = false;
        in.readStructBegin();
        for (TField field = in.readFieldBegin(); field.type != TType.STOP; field = in.readFieldBegin()) {
            if (request != null && field.id == REQUEST && field.type == TType.STRUCT && !present) {
                request.read(in);
                present = true;
            } else {
                in.skip(field.type);
            }
            in.readFieldEnd();
        }
        in.readStructEnd();
        in.readMessageEnd();
        if (request != null && !present) {
            throw new TProtocolException(TProtocolException.INVALID_DATA, "the call lacks its request");
        }
        if (Wire.remaining(in) > 0) {
            throw new TProtocolException(TProtocolException.INVALID_DATA, "bytes after the end of the call");
        }
    }

    /** Writes a call; the request is null if it has no argument. */
    public static List<ByteBuffer> call(
            ThriftEncoding encoding, String method, int sequence, @Nullable TBase<?, ?> request) throws TException {
        return message(encoding, new EnvelopeHead(method, TMessageType.CALL, sequence), out -> {
            out.writeStructBegin(STRUCT);
            field(out, REQUEST, request);
            out.writeFieldStop();
            out.writeStructEnd();
        });
    }

    /** Writes an answer with a result, an error, both (as one call has it), or neither (for a call without result). */
    public static List<ByteBuffer> reply(
            ThriftEncoding encoding,
            EnvelopeHead call,
            @Nullable TBase<?, ?> result,
            @Nullable GalaxyTalosException error)
            throws TException {
        return message(encoding, new EnvelopeHead(call.method(), TMessageType.REPLY, call.sequence()), out -> {
            out.writeStructBegin(STRUCT);
            field(out, RESULT, result);
            field(out, ERROR, error);
            out.writeFieldStop();
            out.writeStructEnd();
        });
    }

    /** Writes an answer that is an exception of the envelope, such as an unknown method. */
    public static List<ByteBuffer> failure(ThriftEncoding encoding, EnvelopeHead call, int type, String sentence)
            throws TException {
        return message(
                encoding,
                new EnvelopeHead(call.method(), TMessageType.EXCEPTION, call.sequence()),
                out -> new TApplicationException(type, sentence).write(out));
    }

    /**
     * Reads an answer.
     *
     * @param result result that is filled from field 0; null for a call without result
     * @return the protocol's error, if that is the answer
     * @throws TApplicationException the answer is an exception of the envelope, belongs to another call, or is empty
     * @throws TException it cannot be read
     */
    public static Optional<GalaxyTalosException> readReply(
            TProtocol in, String method, int sequence, @Nullable TBase<?, ?> result) throws TException {
        expectReply(in, method, sequence);
        boolean present = result == null;
        GalaxyTalosException error = null;
        in.readStructBegin();
        for (TField field = in.readFieldBegin(); field.type != TType.STOP; field = in.readFieldBegin()) {
            if (result != null && field.id == RESULT && field.type == TType.STRUCT) {
                result.read(in);
                present = true;
            } else if (field.id == ERROR && field.type == TType.STRUCT) {
                error = new GalaxyTalosException();
                error.read(in);
            } else {
                in.skip(field.type);
            }
            in.readFieldEnd();
        }
        in.readStructEnd();
        in.readMessageEnd();
        if (!present && error == null) {
            throw new TApplicationException(TApplicationException.MISSING_RESULT, method + " answered nothing");
        }
        return Optional.ofNullable(error);
    }

    private static void expectReply(TProtocol in, String method, int sequence) throws TException {
        EnvelopeHead head = readHead(in);
        if (head.type() == TMessageType.EXCEPTION) {
            throw TApplicationException.readFrom(in);
        }
        if (head.type() != TMessageType.REPLY
                || head.sequence() != sequence
                || !head.method().equals(method)) {
            throw new TApplicationException(TApplicationException.BAD_SEQUENCE_ID, "answer of another call");
        }
    }

    private static void field(TProtocol out, short id, @Nullable TBase<?, ?> value) throws TException {
        if (value != null) {
            out.writeFieldBegin(new TField("", TType.STRUCT, id));
            value.write(out);
            out.writeFieldEnd();
        }
    }

    private static List<ByteBuffer> message(ThriftEncoding encoding, EnvelopeHead head, Wire.Content body)
            throws TException {
        return Wire.written(encoding, out -> {
            out.writeMessageBegin(new TMessage(head.method(), head.type(), head.sequence()));
            body.write(out);
            out.writeMessageEnd();
        });
    }
}
