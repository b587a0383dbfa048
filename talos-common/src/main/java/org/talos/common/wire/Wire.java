// SPDX-License-Identifier: Apache-2.0
package org.talos.common.wire;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.apache.thrift.TBase;
import org.apache.thrift.TConfiguration;
import org.apache.thrift.TException;
import org.apache.thrift.protocol.TBinaryProtocol;
import org.apache.thrift.protocol.TCompactProtocol;
import org.apache.thrift.protocol.TJSONProtocol;
import org.apache.thrift.protocol.TList;
import org.apache.thrift.protocol.TMap;
import org.apache.thrift.protocol.TProtocol;
import org.apache.thrift.protocol.TProtocolException;
import org.apache.thrift.protocol.TSet;
import org.apache.thrift.transport.TMemoryBuffer;
import org.apache.thrift.transport.TMemoryInputTransport;
import org.apache.thrift.transport.TTransport;
import org.apache.thrift.transport.TTransportException;

/**
 * Makes readers and writers of an encoding. A reader allocates a string or container only if the remaining bytes can
 * hold its declared size.
 *
 * <p>Immutable.
 */
public final class Wire {
    /** The deepest nesting of structs and containers that is read, also in unknown fields. */
    static final int MAX_DEPTH = 64;
    /** The most elements of one container that are read; no call of the contract comes near it. */
    public static final int MAX_CONTAINER_ELEMENTS = 1 << 16;

    private Wire() {}

    /**
     * A reader over bytes; binaries of the compact encoding are views of them, not copies.
     *
     * @throws TException never for valid bounds
     */
    public static TProtocol reader(ThriftEncoding encoding, byte[] bytes, int offset, int length) throws TException {
        TConfiguration limits = new TConfiguration(Math.max(length, 1), Math.max(length, 1), MAX_DEPTH);
        TTransport in = new TMemoryInputTransport(limits, bytes, offset, length);
        int containers = Math.min(length, MAX_CONTAINER_ELEMENTS);
        return switch (encoding) {
            case COMPACT -> new TCompactProtocol(in, length, containers);
            case BINARY -> new TBinaryProtocol(in, length, containers, true, true);
            case JSON -> new BoundedJson(in, containers);
        };
    }

    /** A writer to a transport. */
    public static TProtocol writer(ThriftEncoding encoding, TTransport out) {
        return switch (encoding) {
            case COMPACT -> new TCompactProtocol(out);
            case BINARY -> new TBinaryProtocol(out);
            case JSON -> new TJSONProtocol(out);
        };
    }

    /** The bytes of a struct without an envelope. */
    public static byte[] bytes(ThriftEncoding encoding, TBase<?, ?> struct) throws TException {
        TMemoryBuffer out = new TMemoryBuffer(256);
        struct.write(writer(encoding, out));
        return Arrays.copyOf(out.getArray(), out.length());
    }

    /** The bytes of a struct without an envelope, in order; large binaries are its own. */
    public static List<ByteBuffer> parts(ThriftEncoding encoding, TBase<?, ?> struct) throws TException {
        ChunkedOutput out = new ChunkedOutput();
        struct.write(writer(encoding, out));
        return out.finish();
    }

    /** Refuses containers that declare more elements than there can be, which the library does not. */
    private static final class BoundedJson extends TJSONProtocol {
        private final int mostElements;

        BoundedJson(TTransport in, int mostElements) {
            super(in);
            this.mostElements = mostElements;
        }

        @Override
        public TMap readMapBegin() throws TException {
            TMap map = super.readMapBegin();
            bounded(map.size);
            return map;
        }

        @Override
        public TList readListBegin() throws TException {
            TList list = super.readListBegin();
            bounded(list.size);
            return list;
        }

        @Override
        public TSet readSetBegin() throws TException {
            TSet set = super.readSetBegin();
            bounded(set.size);
            return set;
        }

        private void bounded(int size) throws TProtocolException {
            if (size < 0 || size > mostElements) {
                throw new TProtocolException(TProtocolException.SIZE_LIMIT, "container of " + size + " elements");
            }
        }
    }

    /** The number of bytes that a reader has left. */
    static int remaining(TProtocol reader) throws TTransportException {
        return reader.getTransport().getBytesRemainingInBuffer();
    }
}
