// SPDX-License-Identifier: Apache-2.0
package org.talos.server.transfer.wire;

import java.nio.ByteBuffer;
import java.util.List;
import org.apache.thrift.TException;
import org.apache.thrift.protocol.TField;
import org.apache.thrift.protocol.TList;
import org.apache.thrift.protocol.TProtocol;
import org.apache.thrift.protocol.TStruct;
import org.apache.thrift.protocol.TType;

/** Writes Thrift structs field by field; what {@link Fields} reads. Confined: one message. */
public final class FieldsWriter {
    private static final TStruct STRUCT = new TStruct("");

    private final TProtocol out;

    FieldsWriter(TProtocol out) {
        this.out = out;
    }

    /** Content of a struct. */
    public interface Body {
        void write(FieldsWriter fields) throws TException;
    }

    /** Content of a struct that stands for an element. */
    interface Element<E> {
        void write(FieldsWriter fields, E element) throws TException;
    }

    /** A whole struct. */
    FieldsWriter struct(Body body) throws TException {
        out.writeStructBegin(STRUCT);
        body.write(this);
        out.writeFieldStop();
        out.writeStructEnd();
        return this;
    }

    /** A field that is a struct. */
    FieldsWriter struct(int id, Body body) throws TException {
        begin(id, TType.STRUCT);
        return struct(body);
    }

    /** A field that is a list of structs. */
    <E> FieldsWriter structs(int id, List<E> elements, Element<E> element) throws TException {
        begin(id, TType.LIST);
        out.writeListBegin(new TList(TType.STRUCT, elements.size()));
        for (E each : elements) {
            struct(fields -> element.write(fields, each));
        }
        out.writeListEnd();
        return this;
    }

    /** A number. */
    public FieldsWriter number(int id, int value) throws TException {
        begin(id, TType.I32);
        out.writeI32(value);
        return this;
    }

    /** A number. */
    public FieldsWriter number(int id, long value) throws TException {
        begin(id, TType.I64);
        out.writeI64(value);
        return this;
    }

    /** A text. */
    FieldsWriter text(int id, String value) throws TException {
        begin(id, TType.STRING);
        out.writeString(value);
        return this;
    }

    /** Bytes: large ones are not copied. */
    FieldsWriter bytes(int id, ByteBuffer value) throws TException {
        begin(id, TType.STRING);
        out.writeBinary(value.hasArray() ? value : copy(value));
        return this;
    }

    /** The protocol's writer needs an array behind the buffer. */
    private static ByteBuffer copy(ByteBuffer value) {
        return ByteBuffer.allocate(value.remaining()).put(value.duplicate()).flip();
    }

    private void begin(int id, byte type) throws TException {
        out.writeFieldBegin(new TField("", type, (short) id));
    }
}
