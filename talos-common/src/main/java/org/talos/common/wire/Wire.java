// SPDX-License-Identifier: Apache-2.0
package org.talos.common.wire;

import java.util.Arrays;
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
 * Makes the readers and writers of an encoding. A reader believes no declared size: a string or container is allocated
 * only if the bytes that remain can hold it.
 *
 * <p>Immutable.
 */
public final class Wire {
    /** Nested structs and containers beyond this are refused, also inside fields that nobody knows. */
    static final int MAX_DEPTH = 64;
    /** No call of the contract comes near this many elements in one container. */
    public static final int MAX_CONTAINER_ELEMENTS = 1 << 16;

    private Wire() {}

    /**
     * A reader over bytes; binaries of the compact encoding are read as views of them, not copied.
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

    /** A struct alone, without an envelope. */
    public static byte[] bytes(ThriftEncoding encoding, TBase<?, ?> struct) throws TException {
        TMemoryBuffer out = new TMemoryBuffer(256);
        struct.write(writer(encoding, out));
        return Arrays.copyOf(out.getArray(), out.length());
    }

    /** Refuses containers of more elements than there can be; the library's reader believes the count. */
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

    /** How many bytes a reader has left. */
    static int remaining(TProtocol reader) throws TTransportException {
        return reader.getTransport().getBytesRemainingInBuffer();
    }
}
