// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.thrift.protocol.TField;
import org.apache.thrift.protocol.TProtocol;
import org.apache.thrift.protocol.TType;
import org.apache.thrift.transport.TMemoryBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.talos.common.wire.Envelope;
import org.talos.common.wire.ThriftEncoding;
import org.talos.common.wire.Wire;
import org.talos.server.runtime.client.Presence;
import org.talos.server.service.call.ClientInfo;
import org.talos.server.service.call.KnownCaller;
import org.talos.server.service.call.ServiceName;
import org.talos.server.service.call.ServiceRequest;
import org.talos.server.testing.AmpleMemory;
import org.talos.server.testing.KeptMemory;
import org.talos.thrift.GalaxyTalosException;
import org.talos.thrift.MessageCompressionType;
import org.talos.thrift.PutMessageRequest;
import org.talos.thrift.PutMessageResponse;

/** Checks that hostile puts leave no more in the heap than they stored. */
@Isolated // measures the heap of the whole JVM
class PutMemoryTest extends MessageFixture {
    private static final short UNKNOWN = 99;
    private static final int UNKNOWN_BYTES = 2 << 20;
    private static final int PUTS = 50;
    private static final long MOST_LEFT = 8L << 20;

    @Test
    void unknownFieldsOfPutsAreNotKept() throws Exception {
        long before = KeptMemory.of(partitions);
        long heapBefore = usedHeap();

        for (int i = 0; i < PUTS; i++) {
            assertThat(answer(withUnknownField(
                            put("message " + i, MessageCompressionType.NONE), new byte[UNKNOWN_BYTES])))
                    .isEmpty();
        }

        assertThat(KeptMemory.of(partitions) - before).isLessThan(MOST_LEFT);
        assertThat(usedHeap() - heapBefore).isLessThan(4 * MOST_LEFT); // of 100 MiB that came
        assertThat(end()).isEqualTo(PUTS - 1);
    }

    /** A call of putMessage whose request has a field that nobody knows, behind all others. */
    private static byte[] withUnknownField(PutMessageRequest put, byte[] value) throws Exception {
        byte[] call = join(Envelope.call(ThriftEncoding.COMPACT, "putMessage", 1, put));
        TMemoryBuffer field = new TMemoryBuffer(value.length + 16);
        TProtocol out = Wire.writer(ThriftEncoding.COMPACT, field);
        out.writeFieldBegin(new TField("", TType.STRING, UNKNOWN));
        out.writeBinary(ByteBuffer.wrap(value));
        ByteArrayOutputStream whole = new ByteArrayOutputStream();
        whole.write(call, 0, call.length - 2); // without the ends of the request and of the arguments
        whole.write(field.getArray(), 0, field.length());
        whole.write(call, call.length - 2, 2);
        return whole.toByteArray();
    }

    private Optional<GalaxyTalosException> answer(byte[] body) throws Exception {
        ClientInfo client = new ClientInfo(GO, OptionalLong.of(clock.millis()), "test");
        ServiceRequest request = new ServiceRequest(
                ServiceName.MESSAGE,
                new ServiceRequest.EncodedCall(ThriftEncoding.COMPACT, ByteBuffer.wrap(body)),
                new KnownCaller(ANN, () -> ANN, client),
                ticker.nanos(),
                null,
                Presence.UNSEEN,
                AmpleMemory.ofRequest());
        return new Answer(
                        "putMessage",
                        services.handler().call(request).toCompletableFuture().get())
                .read(new PutMessageResponse());
    }

    private static long usedHeap() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}
