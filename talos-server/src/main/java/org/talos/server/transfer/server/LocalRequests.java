// SPDX-License-Identifier: Apache-2.0
package org.talos.server.transfer.server;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.thrift.TException;
import org.apache.thrift.protocol.TMessage;
import org.apache.thrift.protocol.TMessageType;
import org.apache.thrift.protocol.TProtocol;
import org.apache.thrift.protocol.TProtocolException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.common.error.Effect;
import org.talos.common.error.TalosException;
import org.talos.server.log.Put;
import org.talos.server.partition.serving.AppendResult;
import org.talos.server.partition.serving.ForwardContext;
import org.talos.server.partition.serving.PartitionRequests;
import org.talos.server.partition.serving.ReadRequest;
import org.talos.server.runtime.Ticker;
import org.talos.server.storage.LogId;
import org.talos.server.transfer.wire.Answer;
import org.talos.server.transfer.wire.Fields;
import org.talos.server.transfer.wire.FieldsWriter;
import org.talos.server.transfer.wire.Frame;
import org.talos.server.transfer.wire.Request;
import org.talos.server.transfer.wire.Structs;
import org.talos.thrift.ErrorCode;

/**
 * Answers what other servers ask, by this server alone: nothing is passed on a second time. Does not block.
 *
 * <p>Thread-safe.
 */
final class LocalRequests {
    private static final Logger LOG = LoggerFactory.getLogger(LocalRequests.class);
    private static final long LONGEST_NANOS = TimeUnit.HOURS.toNanos(1); // what is sent can't make a deadline overflow

    private final PartitionRequests local;
    private final Ticker ticker;
    private final ForwardedPuts puts;
    private final Map<Long, CompletableFuture<Boolean>> putsOnTheirWay = new ConcurrentHashMap<>();
    private final AtomicLong putsTaken = new AtomicLong();
    private volatile boolean closing;

    LocalRequests(PartitionRequests local, Ticker ticker) {
        this.local = local;
        this.ticker = ticker;
        puts = new ForwardedPuts(ticker);
    }

    /**
     * What to send back. Immutable.
     *
     * @param message the answer, encoded
     * @param lost to be run if it can't be sent
     * @param sent to be run when it was sent, or can't be
     */
    record Reply(List<ByteBuffer> message, Runnable lost, Runnable sent) {}

    /** Makes an answer of a result. */
    private interface Encoder<R> {
        FieldsWriter.Body body(R result);
    }

    /** A request that can be answered. */
    private record Call(String method, long id, ByteBuffer connectionId, Fields fields, ForwardContext hop) {}

    /** Answers a request; what is returned never fails. */
    CompletionStage<Reply> serve(Frame frame, ByteBuffer connectionId) {
        Call call;
        try {
            call = read(frame, connectionId);
        } catch (TException | IllegalArgumentException e) {
            return refused("", frame.id(), ErrorCode.BAD_REQUEST, "the other server's request can't be read");
        }
        if (call.hop.deadlineNanos() - ticker.nanos() <= 0) {
            return refused(call.method, call.id, ErrorCode.REQUEST_PROCESS_TIMEOUT, "the deadline has passed");
        }
        try {
            return serve(call);
        } catch (TException | IllegalArgumentException e) {
            return refused(call.method, call.id, ErrorCode.BAD_REQUEST, "the other server's request can't be read");
        }
    }

    private Call read(Frame frame, ByteBuffer connectionId) throws TException {
        TProtocol in = frame.reader();
        TMessage head = in.readMessageBegin();
        if (head.type != TMessageType.CALL) {
            throw new TProtocolException(TProtocolException.INVALID_DATA, "not a call");
        }
        Fields fields = Fields.read(in);
        in.readMessageEnd();
        Fields hop = fields.struct(1);
        long remaining = Math.max(0, Math.min(hop.number(2), LONGEST_NANOS));
        ForwardContext there = new ForwardContext(hop.text(1), ticker.nanos() + remaining);
        return new Call(head.name, frame.id(), connectionId, fields, there);
    }

    private CompletionStage<Reply> serve(Call call) throws TException {
        Fields fields = call.fields;
        return switch (call.method) {
            case Request.PUT -> put(call, Structs.readLog(fields.struct(2)), Structs.readPut(fields));
            case Request.READ -> {
                LogId id = Structs.readLog(fields.struct(2));
                ReadRequest read = Structs.readRead(fields);
                yield answer(call, local.read(id, read, call.hop), slice -> out -> Structs.writeSlice(out, slice));
            }
            case Request.BOUNDS -> {
                List<LogId> ids = new ArrayList<>();
                for (Fields each : fields.structs(2)) {
                    ids.add(Structs.readLog(each));
                }
                yield answer(call, local.bounds(ids, call.hop), bounds -> out -> Structs.writeBounds(out, bounds));
            }
            case Request.OFFSET_AT_TIME -> {
                LogId id = Structs.readLog(fields.struct(2));
                yield answer(
                        call,
                        local.offsetAtTime(id, fields.number(3), call.hop),
                        offset -> out -> out.number(1, offset));
            }
            case Request.UNANSWERED -> {
                puts.unanswered(fields.bytes(2), fields.number(3));
                yield answer(call, CompletableFuture.completedFuture(true), done -> out -> {});
            }
            default -> refused(call.method, call.id, ErrorCode.BAD_REQUEST, "no such call between servers");
        };
    }

    private CompletionStage<Reply> put(Call call, LogId id, Put put) {
        CompletableFuture<Boolean> onItsWay = new CompletableFuture<>();
        long number = putsTaken.incrementAndGet();
        putsOnTheirWay.put(number, onItsWay);
        Runnable sent = () -> {
            onItsWay.complete(true);
            putsOnTheirWay.remove(number);
        };
        if (closing) { // looked at behind the add: who closes either sees the put or keeps it out
            sent.run();
            return refused(call.method, call.id, ErrorCode.PARTITION_NOT_SERVING, "the server stops");
        }
        Optional<CompletableFuture<AppendResult>> begun =
                puts.begin(call.connectionId, call.id, call.hop.deadlineNanos());
        if (begun.isEmpty()) {
            sent.run();
            return refused(call.method, call.id, ErrorCode.REQUEST_PROCESS_TIMEOUT, "the put was given up");
        }
        CompletableFuture<AppendResult> stored = begun.get();
        store(id, put, call.hop, stored);
        return stored.handle((done, error) -> {
            if (error != null) {
                return new Reply(error(call, error), LocalRequests::nothing, sent);
            }
            return new Reply(result(call, out -> out.number(1, done.firstOffset())), done.unanswered(), sent);
        });
    }

    private void store(LogId id, Put put, ForwardContext hop, CompletableFuture<AppendResult> result) {
        try {
            var unused = local.put(id, put, hop).whenComplete((done, error) -> {
                if (error == null) {
                    result.complete(done);
                } else {
                    result.completeExceptionally(error);
                }
            });
        } catch (RuntimeException e) {
            result.completeExceptionally(e);
        }
    }

    private <R> CompletionStage<Reply> answer(Call call, CompletionStage<R> result, Encoder<R> encoder) {
        return result.handle((done, error) -> new Reply(
                error == null ? result(call, encoder.body(done)) : error(call, error),
                LocalRequests::nothing,
                LocalRequests::nothing));
    }

    /** An answer that says why there is none, and that nothing has happened. */
    CompletionStage<Reply> refused(String method, long id, ErrorCode code, String sentence) {
        try {
            TalosException refusal = TalosException.refused(code, sentence);
            return CompletableFuture.completedFuture(
                    new Reply(Answer.error(method, id, refusal), LocalRequests::nothing, LocalRequests::nothing));
        } catch (TException e) {
            throw new IllegalStateException("an error can be written", e);
        }
    }

    private static List<ByteBuffer> result(Call call, FieldsWriter.Body body) {
        try {
            return Answer.result(call.method, call.id, body);
        } catch (TException e) {
            throw new IllegalStateException("a result can be written", e);
        }
    }

    private static List<ByteBuffer> error(Call call, Throwable error) {
        Throwable cause = error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
        TalosException told;
        if (cause instanceof TalosException known) {
            told = known;
        } else {
            LOG.error("request of another server failed method={}", call.method, cause);
            Effect effect = call.method.equals(Request.PUT) ? Effect.UNKNOWN : Effect.NONE;
            told = new TalosException(ErrorCode.INTERNAL_SERVER_ERROR, effect, "the partition's server failed");
        }
        try {
            return Answer.error(call.method, call.id, told);
        } catch (TException e) {
            throw new IllegalStateException("an error can be written", e);
        }
    }

    private static void nothing() {
        // an answer that nobody needs to hear of
    }

    /** Takes no put any more, and waits for the answers of those it has taken, at most so long. */
    void drain(long mostMillis) throws InterruptedException {
        closing = true;
        CompletableFuture<Void> all =
                CompletableFuture.allOf(putsOnTheirWay.values().toArray(new CompletableFuture<?>[0]));
        try {
            all.get(mostMillis, TimeUnit.MILLISECONDS);
        } catch (TimeoutException | ExecutionException e) {
            LOG.warn("puts of other servers are not answered puts={}", putsOnTheirWay.size(), e);
        }
    }
}
