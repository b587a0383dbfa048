// SPDX-License-Identifier: Apache-2.0
package org.talos.server.transfer.wire;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import org.apache.thrift.TBase;
import org.apache.thrift.TException;
import org.apache.thrift.protocol.TMessage;
import org.apache.thrift.protocol.TProtocol;
import org.talos.common.error.TalosException;
import org.talos.server.fuzz.Fuzzed;
import org.talos.server.log.BlockLimits;
import org.talos.server.log.Put;
import org.talos.server.log.Slice;
import org.talos.server.partition.serving.LogBounds;
import org.talos.server.partition.serving.ReadRequest;
import org.talos.server.storage.LogId;
import org.talos.server.transfer.wire.generated.AwaitCall;
import org.talos.server.transfer.wire.generated.BoundsCall;
import org.talos.server.transfer.wire.generated.OffsetAtTimeCall;
import org.talos.server.transfer.wire.generated.PutCall;
import org.talos.server.transfer.wire.generated.ReadCall;
import org.talos.server.transfer.wire.generated.UnansweredCall;

/**
 * Messages between servers, whose MACs are right: one byte for what is read, then the message.
 *
 * <p>Immutable.
 */
public final class TransferFuzz {
    private static final int MULTIPLE = 200;
    private static final LogId LOG = new LogId("0123456789abcdef0123456789abcdef", 3);
    private static final String CALLER = "ann";

    private TransferFuzz() {}

    /** Reads one input. */
    public static void fuzzerTestOneInput(byte[] input) throws Exception {
        ByteBuffer in = ByteBuffer.wrap(input);
        int kind = Fuzzed.next(in);
        byte[] message = Fuzzed.rest(in);
        Frame frame = new Frame(1, message);
        Fuzzed.within(message.length, MULTIPLE, () -> {
            try {
                read(kind, frame);
            } catch (TException | IllegalArgumentException | TalosException e) {
                return; // what both sides take for unreadable, or the other server's error
            }
        });
    }

    private static void read(int kind, Frame frame) throws TException {
        switch (kind % 11) {
            case 0 -> put(frame);
            case 1 -> {
                ReadCall call = new ReadCall();
                head(frame, call);
                LogId log = Structs.log(call.getLog());
                ReadRequest read = Structs.read(call);
                ReadCall again = Structs.read(call.getContext(), log, read);
                Fuzzed.same(again, call);
            }
            case 2 -> {
                BoundsCall call = new BoundsCall();
                head(frame, call);
                Fuzzed.same(Structs.bounds(call.getContext(), Structs.logs(call)), call);
            }
            case 3 -> head(frame, new OffsetAtTimeCall());
            case 4 -> head(frame, new UnansweredCall());
            case 5 -> slice(frame);
            case 6 -> bounds(frame);
            case 9 -> {
                AwaitCall call = new AwaitCall();
                head(frame, call);
                Fuzzed.same(Structs.ends(call).size() <= call.getEndsSize(), true);
            }
            case 10 -> Answer.read(Request.awaitAny(Map.of(LOG, 1L), 1), frame);
            case 7 -> Answer.read(Request.offsetAtTime(LOG, 1), frame);
            default -> Answer.read(Request.unanswered(ByteBuffer.allocate(16), 1), frame);
        }
    }

    private static void head(Frame frame, TBase<?, ?> call) throws TException {
        TProtocol in = frame.reader();
        TMessage head = in.readMessageBegin();
        Fuzzed.same(head.name == null, false);
        call.read(in);
        in.readMessageEnd();
    }

    private static void put(Frame frame) throws TException {
        PutCall call = new PutCall();
        head(frame, call);
        LogId log = Structs.log(call.getLog());
        Put put = Structs.put(call);
        PutCall again = new PutCall();
        head(frame(Request.put(log, put).message(1, CALLER, 1)), again);
        Put second = Structs.put(again);
        Fuzzed.same(second, put);
    }

    private static void slice(Frame frame) throws TException {
        Request<Slice> request = Request.read(LOG, new ReadRequest(0, new BlockLimits(1, 1), 1, 0));
        Slice slice = Answer.read(request, frame);
        Slice again = Answer.read(request, frame(Answer.result(Request.READ, 1, Structs.slice(slice))));
        Fuzzed.same(again, slice);
    }

    private static void bounds(Frame frame) throws TException {
        Request<Map<LogId, LogBounds>> request = Request.bounds(List.of(LOG));
        Map<LogId, LogBounds> bounds = Answer.read(request, frame);
        Map<LogId, LogBounds> again =
                Answer.read(request, frame(Answer.result(Request.BOUNDS, 1, Structs.bounds(bounds))));
        Fuzzed.same(again, bounds);
    }

    private static Frame frame(List<ByteBuffer> parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        parts.forEach(part -> all.writeBytes(Fuzzed.rest(part.duplicate())));
        return new Frame(1, all.toByteArray());
    }
}
