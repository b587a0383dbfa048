// SPDX-License-Identifier: Apache-2.0
package org.talos.common.wire;

import java.lang.ref.SoftReference;
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
import org.apache.thrift.protocol.TProtocolDecorator;
import org.apache.thrift.protocol.TProtocolException;
import org.apache.thrift.protocol.TSet;
import org.apache.thrift.transport.TMemoryBuffer;
import org.apache.thrift.transport.TMemoryInputTransport;
import org.apache.thrift.transport.TTransport;
import org.apache.thrift.transport.TTransportException;
import org.jspecify.annotations.Nullable;

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

    /** The bytes of a time of creation in the shortest encoding; all other lists of requests are short. */
    private static final int LEAST_BYTES_OF_TIME = 6;

    private Wire() {}

    /**
     * Returns a reader over bytes; binaries of the compact encoding are views of them, not copies.
     *
     * @throws TException never for valid bounds
     */
    public static TProtocol reader(ThriftEncoding encoding, byte[] bytes, int offset, int length) throws TException {
        return reader(encoding, bytes, offset, length, Long.MAX_VALUE);
    }

    /**
     * As above, for a client's bytes: a decoded element takes twenty times its one byte. So all containers together may
     * have as many elements as there can be creation times.
     *
     * @throws TException never for valid bounds
     */
    public static TProtocol requestReader(ThriftEncoding encoding, byte[] bytes, int offset, int length)
            throws TException {
        return reader(encoding, bytes, offset, length, MAX_CONTAINER_ELEMENTS + (long) length / LEAST_BYTES_OF_TIME);
    }

    private static TProtocol reader(ThriftEncoding encoding, byte[] bytes, int offset, int length, long mostInAll)
            throws TException {
        TConfiguration limits = new TConfiguration(Math.max(length, 1), Math.max(length, 1), MAX_DEPTH);
        TTransport in = new TMemoryInputTransport(limits, bytes, offset, length);
        int containers = Math.min(length, MAX_CONTAINER_ELEMENTS);
        ContainerBounds bounds = new ContainerBounds(containers, mostInAll);
        return switch (encoding) {
            case COMPACT -> new BoundedCompact(in, length, bounds);
            case BINARY -> new Bounded(new TBinaryProtocol(in, length, containers, true, true), bounds);
            case JSON -> new Bounded(new TJSONProtocol(in), bounds);
        };
    }

    /** Returns a writer to a transport. */
    public static TProtocol writer(ThriftEncoding encoding, TTransport out) {
        return switch (encoding) {
            case COMPACT -> new TCompactProtocol(out);
            case BINARY -> new TBinaryProtocol(out);
            case JSON -> new TJSONProtocol(out);
        };
    }

    /** Returns the bytes of a struct without an envelope. */
    public static byte[] bytes(ThriftEncoding encoding, TBase<?, ?> struct) throws TException {
        TMemoryBuffer out = new TMemoryBuffer(256);
        write(encoding, out, struct::write);
        return Arrays.copyOf(out.getArray(), out.length());
    }

    /** Returns the bytes of a struct without an envelope, in order; large binaries are its own. */
    public static List<ByteBuffer> parts(ThriftEncoding encoding, TBase<?, ?> struct) throws TException {
        return written(encoding, struct::write);
    }

    /** Something that writes itself. */
    @FunctionalInterface
    public interface Content {
        /** Writes it; the protocol is not to be kept. */
        void write(TProtocol to) throws TException;
    }

    /** Returns the bytes of the content, in order; large binaries are its own. */
    public static List<ByteBuffer> written(ThriftEncoding encoding, Content content) throws TException {
        ChunkedOutput out = new ChunkedOutput();
        write(encoding, out, content);
        return out.finish();
    }

    private static void write(ThriftEncoding encoding, TTransport out, Content content) throws TException {
        if (encoding != ThriftEncoding.COMPACT) {
            content.write(writer(encoding, out));
            return;
        }
        CompactWriter writer = CompactWriter.take();
        writer.begin(out);
        content.write(writer);
        writer.end();
    }

    /**
     * The writer that each thread keeps: a new one has, for an answer of a few bytes, 250 bytes that only reading
     * needs. Kept softly, since the thread may outlive this class.
     */
    private static final class CompactWriter extends TCompactProtocol {
        private static final ThreadLocal<@Nullable SoftReference<CompactWriter>> KEPT = new ThreadLocal<>();
        private static final TTransport NOWHERE = new ChunkedOutput();

        private boolean busy; // also after a failure, half-way in some struct: it is not taken again

        private CompactWriter() {
            super(NOWHERE);
        }

        static CompactWriter take() {
            @Nullable SoftReference<CompactWriter> kept = KEPT.get();
            @Nullable CompactWriter writer = kept == null ? null : kept.get();
            if (writer == null || writer.busy) {
                writer = new CompactWriter();
                KEPT.set(new SoftReference<>(writer));
            }
            return writer;
        }

        void begin(TTransport out) {
            busy = true;
            trans_ = out;
        }

        void end() {
            trans_ = NOWHERE; // it refers to no answer
            busy = false;
        }
    }

    /** Refuses more elements of one container, and of all together, than there can be. Confined: to a reader. */
    private static final class ContainerBounds {
        private final int most;
        private final long mostInAll;
        private long all;

        ContainerBounds(int most, long mostInAll) {
            this.most = most;
            this.mostInAll = mostInAll;
        }

        void count(int size) throws TProtocolException {
            all += size;
            if (size < 0 || size > most) {
                throw new TProtocolException(TProtocolException.SIZE_LIMIT, "container of " + size + " elements");
            }
            if (all > mostInAll) {
                throw new TProtocolException(
                        TProtocolException.SIZE_LIMIT,
                        "more than " + mostInAll + " elements in all lists, sets and maps together");
            }
        }
    }

    /** Any reader within bounds. */
    private static final class Bounded extends TProtocolDecorator {
        private final ContainerBounds bounds;

        Bounded(TProtocol reader, ContainerBounds bounds) {
            super(reader);
            this.bounds = bounds;
        }

        @Override
        public TMap readMapBegin() throws TException {
            TMap map = super.readMapBegin();
            bounds.count(map.size);
            return map;
        }

        @Override
        public TList readListBegin() throws TException {
            TList list = super.readListBegin();
            bounds.count(list.size);
            return list;
        }

        @Override
        public TSet readSetBegin() throws TException {
            TSet set = super.readSetBegin();
            bounds.count(set.size);
            return set;
        }

        /**
         * Thrift's own goes back in the bytes by a negative length, to read the same again forever: reading one looks
         * at its length, and copies nothing.
         */
        @Override
        protected void skipBinary() throws TException {
            var unused = readBinary();
        }
    }

    /** The same of nearly all that is read: as a protocol around another one it would have that one's buffers twice. */
    private static final class BoundedCompact extends TCompactProtocol {
        private final ContainerBounds bounds;

        BoundedCompact(TTransport in, int length, ContainerBounds bounds) {
            super(in, length, bounds.most);
            this.bounds = bounds;
        }

        @Override
        public TMap readMapBegin() throws TException {
            TMap map = super.readMapBegin();
            bounds.count(map.size);
            return map;
        }

        /** Reads the beginning of sets too, which Thrift reads as that of a list. */
        @Override
        public TList readListBegin() throws TException {
            TList list = super.readListBegin();
            bounds.count(list.size);
            return list;
        }

        /** As {@link Bounded#skipBinary}. */
        @Override
        protected void skipBinary() throws TException {
            var unused = readBinary();
        }
    }

    /** Returns the number of bytes that a reader has left. */
    static int remaining(TProtocol reader) throws TTransportException {
        return reader.getTransport().getBytesRemainingInBuffer();
    }
}
