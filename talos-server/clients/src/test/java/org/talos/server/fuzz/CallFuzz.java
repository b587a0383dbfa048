// SPDX-License-Identifier: Apache-2.0
package org.talos.server.fuzz;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Supplier;
import org.apache.thrift.TBase;
import org.apache.thrift.TException;
import org.apache.thrift.protocol.TProtocol;
import org.talos.common.error.TalosException;
import org.talos.common.wire.Envelope;
import org.talos.common.wire.EnvelopeHead;
import org.talos.common.wire.ThriftEncoding;
import org.talos.common.wire.Wire;
import org.talos.server.partition.serving.BlockMapping;
import org.talos.thrift.AddUserRequest;
import org.talos.thrift.CreateTopicRequest;
import org.talos.thrift.DescribeTopicRequest;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.GetMessageRequest;
import org.talos.thrift.LockPartitionRequest;
import org.talos.thrift.MessageBlock;
import org.talos.thrift.PutMessageRequest;
import org.talos.thrift.QueryOffsetRequest;
import org.talos.thrift.RenewRequest;
import org.talos.thrift.SetTopicQuotaRequest;
import org.talos.thrift.TopicsRenewRequest;
import org.talos.thrift.UpdateOffsetRequest;

/**
 * Thrift calls as clients send them: one byte for the encoding, one for the request, then the body.
 *
 * <p>Immutable.
 */
public final class CallFuzz {
    /** An element of one byte takes twenty in a list, and grows into arrays that are thrown away. */
    private static final int MULTIPLE = 200;

    private static final List<Supplier<TBase<?, ?>>> REQUESTS = List.of(
            PutMessageRequest::new,
            GetMessageRequest::new,
            CreateTopicRequest::new,
            DescribeTopicRequest::new,
            LockPartitionRequest::new,
            RenewRequest::new,
            TopicsRenewRequest::new,
            UpdateOffsetRequest::new,
            QueryOffsetRequest::new,
            SetTopicQuotaRequest::new,
            AddUserRequest::new);

    private static final List<ThriftEncoding> ENCODINGS = List.of(ThriftEncoding.values());

    private CallFuzz() {}

    /** Reads one input. */
    public static void fuzzerTestOneInput(byte[] input) throws Exception {
        ByteBuffer in = ByteBuffer.wrap(input);
        ThriftEncoding encoding = ENCODINGS.get(Fuzzed.next(in) % ENCODINGS.size());
        Supplier<TBase<?, ?>> request = REQUESTS.get(Fuzzed.next(in) % REQUESTS.size());
        byte[] body = Fuzzed.rest(in);
        Fuzzed.within(body.length, MULTIPLE, () -> read(encoding, request, body));
    }

    private static void read(ThriftEncoding encoding, Supplier<TBase<?, ?>> request, byte[] body) throws TException {
        EnvelopeHead head;
        TBase<?, ?> read = request.get();
        try {
            TProtocol in = Wire.requestReader(encoding, body, 0, body.length);
            head = Envelope.readHead(in);
            Envelope.readArguments(in, read);
        } catch (TException e) {
            return;
        } catch (RuntimeException e) {
            if (encoding == ThriftEncoding.JSON) { // its library's; callers treat them as the same
                return;
            }
            throw e;
        }
        byte[] again = join(Envelope.call(encoding, head.method(), head.sequence(), read));
        TBase<?, ?> second = request.get();
        TProtocol in = Wire.reader(encoding, again, 0, again.length);
        Fuzzed.same(Envelope.readHead(in).method(), head.method());
        Envelope.readArguments(in, second);
        Fuzzed.same(second, read);
        if (read instanceof PutMessageRequest put) {
            put.getMessageBlocks().forEach(CallFuzz::toLog);
        }
    }

    private static void toLog(MessageBlock block) {
        try {
            Fuzzed.same(BlockMapping.toLog(block).messages(), block.getMessageNumber());
        } catch (TalosException e) {
            Fuzzed.same(e.code(), ErrorCode.MESSAGE_INCOMPLETE);
        }
    }

    private static byte[] join(List<ByteBuffer> parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (ByteBuffer part : parts) {
            all.writeBytes(Fuzzed.rest(part.duplicate()));
        }
        return all.toByteArray();
    }
}
