// SPDX-License-Identifier: Apache-2.0
package org.talos.server.transfer.wire;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.thrift.TException;
import org.apache.thrift.protocol.TField;
import org.apache.thrift.protocol.TList;
import org.apache.thrift.protocol.TProtocol;
import org.apache.thrift.protocol.TProtocolException;
import org.apache.thrift.protocol.TType;
import org.jspecify.annotations.Nullable;

/**
 * A Thrift struct as it was read: its fields by number, those that nobody asks for included. Immutable.
 *
 * <p>Binaries are views of what was read.
 */
public final class Fields {
    private static final int MOST_NESTED = 8;

    private final Map<Short, Object> values;

    private Fields(Map<Short, Object> values) {
        this.values = values;
    }

    /**
     * Reads a struct.
     *
     * @throws TException it is none, or holds what no message has
     */
    public static Fields read(TProtocol in) throws TException {
        return read(in, 1);
    }

    private static Fields read(TProtocol in, int depth) throws TException {
        if (depth > MOST_NESTED) {
            throw new TProtocolException(TProtocolException.DEPTH_LIMIT, "nested more than " + MOST_NESTED + " deep");
        }
        Map<Short, Object> values = new HashMap<>();
        in.readStructBegin();
        for (TField field = in.readFieldBegin(); field.type != TType.STOP; field = in.readFieldBegin()) {
            values.put(field.id, value(in, field.type, depth));
            in.readFieldEnd();
        }
        in.readStructEnd();
        return new Fields(values);
    }

    private static Object value(TProtocol in, byte type, int depth) throws TException {
        return switch (type) {
            case TType.BOOL -> in.readBool() ? 1L : 0L;
            case TType.BYTE -> (long) in.readByte();
            case TType.I16 -> (long) in.readI16();
            case TType.I32 -> (long) in.readI32();
            case TType.I64 -> in.readI64();
            case TType.STRING -> in.readBinary();
            case TType.STRUCT -> read(in, depth + 1);
            case TType.LIST -> list(in, depth);
            default -> throw new TProtocolException(TProtocolException.INVALID_DATA, "field of type " + type);
        };
    }

    private static List<Object> list(TProtocol in, int depth) throws TException {
        TList head = in.readListBegin();
        List<Object> values = new ArrayList<>(Math.min(head.size, 1_024));
        for (int i = 0; i < head.size; i++) {
            values.add(value(in, head.elemType, depth + 1));
        }
        in.readListEnd();
        return values;
    }

    private <T> T field(int id, Class<T> type) throws TException {
        return as(values.get((short) id), type, "field " + id);
    }

    private static <T> T as(@Nullable Object value, Class<T> type, String name) throws TException {
        if (!type.isInstance(value)) {
            throw new TProtocolException(TProtocolException.INVALID_DATA, name + " is missing or of another type");
        }
        return type.cast(value);
    }

    /** A whole number of any width. */
    public long number(int id) throws TException {
        return field(id, Long.class);
    }

    /** A whole number that fits an int. */
    int smallNumber(int id) throws TException {
        long number = number(id);
        if (number != (int) number) {
            throw new TProtocolException(TProtocolException.INVALID_DATA, "field " + id + ": " + number);
        }
        return (int) number;
    }

    /** Bytes: a view, whose position nobody else moves. */
    public ByteBuffer bytes(int id) throws TException {
        return field(id, ByteBuffer.class).slice();
    }

    /** A text. */
    public String text(int id) throws TException {
        return StandardCharsets.UTF_8.decode(bytes(id)).toString();
    }

    /** A struct. */
    public Fields struct(int id) throws TException {
        return field(id, Fields.class);
    }

    /** A list of structs. */
    public List<Fields> structs(int id) throws TException {
        List<Fields> structs = new ArrayList<>();
        for (Object each : field(id, List.class)) {
            structs.add(as(each, Fields.class, "element of field " + id));
        }
        return structs;
    }

    /** Whether there is such a field. */
    boolean has(int id) {
        return values.containsKey((short) id);
    }
}
