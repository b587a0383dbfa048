// SPDX-License-Identifier: Apache-2.0
package org.talos.common.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.thrift.TException;
import org.apache.thrift.protocol.TField;
import org.apache.thrift.protocol.TProtocol;
import org.apache.thrift.protocol.TProtocolException;
import org.apache.thrift.protocol.TSet;
import org.apache.thrift.protocol.TStruct;
import org.apache.thrift.protocol.TType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.talos.thrift.MessageBlock;
import org.talos.thrift.MessageCompressionType;
import org.talos.thrift.PutMessageRequest;
import org.talos.thrift.TopicAndPartition;
import org.talos.thrift.TopicTalosResourceName;

class WireTest {
    private static final long NOW_MILLIS = 1_700_000_000_000L;
    private static final int BLOCKS = 10;

    /** A put of blocks that have as many times of creation as one may have. */
    private static PutMessageRequest put(long createMillis) {
        List<MessageBlock> blocks = new ArrayList<>();
        for (int i = 0; i < BLOCKS; i++) {
            MessageBlock block = new MessageBlock(0, 1, MessageCompressionType.NONE, ByteBuffer.wrap(new byte[1]));
            block.setCreateTimestampList(Collections.nCopies(Wire.MAX_CONTAINER_ELEMENTS, createMillis));
            blocks.add(block);
        }
        return new PutMessageRequest(
                new TopicAndPartition("topic", new TopicTalosResourceName("a#topic#0"), 0), blocks, BLOCKS, "client#1");
    }

    private static PutMessageRequest read(ThriftEncoding encoding, byte[] bytes) throws TException {
        PutMessageRequest read = new PutMessageRequest();
        read.read(Wire.requestReader(encoding, bytes, 0, bytes.length));
        return read;
    }

    @Test
    void requestIsNotReadToManyTimesItsSize() throws Exception {
        byte[] bytes = Wire.bytes(ThriftEncoding.COMPACT, put(0));

        assertThatThrownBy(() -> read(ThriftEncoding.COMPACT, bytes))
                .isInstanceOf(TProtocolException.class)
                .hasMessageContaining("elements in all");
    }

    /** An argument that no call has, so that it is skipped: each turn would go back to its beginning. */
    @Test
    @Timeout(10)
    void binaryOfNegativeLengthThatIsSkippedIsRefused() {
        byte[] compact = {0x08, 100, (byte) 0xf9, (byte) 0xff, (byte) 0xff, (byte) 0xff, 0x0f, 0};
        byte[] binary = {11, 0, 100, -1, -1, -1, -7, 0};

        assertThatThrownBy(() -> readArguments(ThriftEncoding.COMPACT, compact)).isInstanceOf(TProtocolException.class);
        assertThatThrownBy(() -> readArguments(ThriftEncoding.BINARY, binary)).isInstanceOf(TProtocolException.class);
    }

    private static void readArguments(ThriftEncoding encoding, byte[] bytes) throws TException {
        Envelope.readArguments(Wire.requestReader(encoding, bytes, 0, bytes.length), new PutMessageRequest());
    }

    @ParameterizedTest
    @EnumSource
    void timesOfCreationAreReadHoweverMany(ThriftEncoding encoding) throws Exception {
        PutMessageRequest put = put(NOW_MILLIS);

        assertThat(read(encoding, Wire.bytes(encoding, put))).isEqualTo(put);
    }

    /** JSON has its elements by commas, and says how many there are. */
    @ParameterizedTest
    @EnumSource(names = {"COMPACT", "BINARY"})
    void elementsOfASetCountOnceAndNoneTooMany(ThriftEncoding encoding) throws Exception {
        TProtocol most = reader(encoding, setOf(Wire.MAX_CONTAINER_ELEMENTS));
        most.skip(TType.SET);
        assertThat(Wire.remaining(most)).isZero();

        TProtocol tooMany = reader(encoding, setOf(Wire.MAX_CONTAINER_ELEMENTS + 1));
        assertThatThrownBy(() -> tooMany.skip(TType.SET)).isInstanceOf(TProtocolException.class);
    }

    private static Wire.Content setOf(int elements) {
        return out -> {
            out.writeSetBegin(new TSet(TType.BYTE, elements));
            for (int i = 0; i < elements; i++) {
                out.writeByte((byte) i);
            }
            out.writeSetEnd();
        };
    }

    private static TProtocol reader(ThriftEncoding encoding, Wire.Content content) throws TException {
        byte[] bytes = joined(Wire.written(encoding, content));
        return Wire.requestReader(encoding, bytes, 0, bytes.length);
    }

    private static byte[] joined(List<ByteBuffer> parts) {
        ByteBuffer all = ByteBuffer.allocate(
                parts.stream().mapToInt(ByteBuffer::remaining).sum());
        parts.forEach(all::put);
        return all.array();
    }

    @Test
    void whatAWriteLeavesHalfDoneHarmsNoLaterOne() throws Exception {
        byte[] expected = Wire.bytes(ThriftEncoding.COMPACT, put(0));

        assertThatThrownBy(() -> Wire.written(ThriftEncoding.COMPACT, out -> {
                    out.writeStructBegin(new TStruct("half"));
                    out.writeFieldBegin(new TField("flag", TType.BOOL, (short) 9));
                    throw new TException("on purpose");
                }))
                .hasMessage("on purpose");

        assertThat(Wire.bytes(ThriftEncoding.COMPACT, put(0))).isEqualTo(expected);
    }

    @Test
    void writeWithinAWriteIsOfItsOwn() throws Exception {
        byte[] expected = Wire.bytes(ThriftEncoding.COMPACT, put(0));
        byte[][] inner = new byte[1][];

        List<ByteBuffer> outer = Wire.written(ThriftEncoding.COMPACT, out -> {
            out.writeStructBegin(new TStruct("outer"));
            out.writeFieldBegin(new TField("inner", TType.STRUCT, (short) 9));
            inner[0] = Wire.bytes(ThriftEncoding.COMPACT, put(0));
            put(0).write(out);
            out.writeFieldEnd();
            out.writeFieldStop();
            out.writeStructEnd();
        });

        assertThat(inner[0]).isEqualTo(expected);
        assertThat(joined(outer)).hasSize(expected.length + 2).endsWith((byte) 0);
    }
}
