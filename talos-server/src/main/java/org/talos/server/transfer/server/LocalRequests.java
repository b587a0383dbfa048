// SPDX-License-Identifier: Apache-2.0
package org.talos.server.transfer.server;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.apache.thrift.TBase;
import org.apache.thrift.TException;
import org.apache.thrift.protocol.TMessage;
import org.apache.thrift.protocol.TMessageType;
import org.apache.thrift.protocol.TProtocol;
import org.apache.thrift.protocol.TProtocolException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.common.error.Effect;
import org.talos.common.error.Exceptions;
import org.talos.common.error.TalosException;
import org.talos.server.log.Deletion;
import org.talos.server.log.Put;
import org.talos.server.partition.serving.AppendResult;
import org.talos.server.partition.serving.ForwardContext;
import org.talos.server.partition.serving.PartitionRequests;
import org.talos.server.partition.serving.ReadRequest;
import org.talos.server.runtime.time.Ticker;
import org.talos.server.storage.LogId;
import org.talos.server.tracing.Trace;
import org.talos.server.transfer.wire.Answer;
import org.talos.server.transfer.wire.Frame;
import org.talos.server.transfer.wire.Request;
import org.talos.server.transfer.wire.Structs;
import org.talos.server.transfer.wire.generated.AwaitCall;
import org.talos.server.transfer.wire.generated.BoundsCall;
import org.talos.server.transfer.wire.generated.DeleteCall;
import org.talos.server.transfer.wire.generated.OffsetAtTimeCall;
import org.talos.server.transfer.wire.generated.OffsetResult;
import org.talos.server.transfer.wire.generated.PutCall;
import org.talos.server.transfer.wire.generated.ReadCall;
import org.talos.server.transfer.wire.generated.UnansweredCall;
import org.talos.server.transfer.wire.generated.UnansweredResult;
import org.talos.server.transfer.wire.generated.WireContext;
import org.talos.thrift.ErrorCode;

/**
 * Answers the requests of other servers from the partitions that this server serves, and forwards none of them again.
 * Does not block, except {@link #drain}.
 *
 * <p>Thread-safe.
 */
final class LocalRequests {
    private static final Logger LOG = LoggerFactory.getLogger(LocalRequests.class);
    /** The refusal of a request or an answer for want of memory. */
    static final String NO_MEMORY = "the partition's server lacks memory, or this user's requests take too much of it";

    private static final long LONGEST_NANOS = TimeUnit.HOURS.toNanos(1); // a sent value cannot make a deadline overflow

    private final PartitionRequests local;
    private final Ticker ticker;
    private final ForwardedPuts puts;
    private final Map<Long, CompletableFuture<Boolean>> putsInFlight = new ConcurrentHashMap<>();
    private final AtomicLong lastPut = new AtomicLong();
    private volatile boolean closing;

    LocalRequests(PartitionRequests local, Ticker ticker) {
        this.local = local;
        this.ticker = ticker;
        puts = new ForwardedPuts(ticker);
    }

    /**
     * An answer to send back. Immutable.
     *
     * @param user whose memory the answer takes until it is sent
     * @param message the answer, encoded
     * @param onLost to be run if it cannot be sent
     * @param onDone to be run once it was sent, or cannot be
     */
    record Reply(String user, List<ByteBuffer> message, Runnable onLost, Runnable onDone) {}

    /** The request that is served: its method, its number on its connection, and its memory. */
    private record Asked(String method, long id, ByteBuffer connectionId, FrameMemory memory) {}

    /**
     * Answers a request; the returned future never fails.
     *
     * @param memory that the frame takes, which is counted for the request's user from here on
     */
    CompletionStage<Reply> serve(Frame frame, ByteBuffer connectionId, FrameMemory memory) {
        try {
            TProtocol in = frame.reader();
            TMessage head = in.readMessageBegin();
            if (head.type != TMessageType.CALL) {
                throw new TProtocolException(TProtocolException.INVALID_DATA, "not a call");
            }
            return serve(new Asked(head.name, frame.id(), connectionId, memory), in);
        } catch (TException | IllegalArgumentException e) {
            return refused("", frame.id(), ErrorCode.BAD_REQUEST, "the other server's request cannot be read");
        }
    }

    private CompletionStage<Reply> serve(Asked asked, TProtocol in) throws TException {
        return switch (asked.method) {
            case Request.PUT -> {
                PutCall call = read(in, new PutCall());
                LogId id = Structs.log(call.getLog());
                Put put = Structs.put(call);
                yield inTime(asked, call.getContext(), context -> put(asked, id, put, context));
            }
            case Request.READ -> {
                ReadCall call = read(in, new ReadCall());
                LogId id = Structs.log(call.getLog());
                ReadRequest read = Structs.read(call);
                yield answer(asked, call.getContext(), context -> local.read(id, read, context), Structs::slice);
            }
            case Request.BOUNDS -> {
                BoundsCall call = read(in, new BoundsCall());
                List<LogId> ids = Structs.logs(call);
                yield answer(asked, call.getContext(), context -> local.bounds(ids, context), Structs::bounds);
            }
            case Request.OFFSET_AT_TIME -> offsetAtTime(asked, read(in, new OffsetAtTimeCall()));
            case Request.DELETE -> delete(asked, read(in, new DeleteCall()));
            case Request.AWAIT -> {
                AwaitCall call = read(in, new AwaitCall());
                Map<LogId, Long> ends = Structs.ends(call);
                yield answer(
                        asked,
                        call.getContext(),
                        context -> local.awaitAny(ends, call.getWaitNanos(), context),
                        Structs::found);
            }
            case Request.UNANSWERED -> {
                UnansweredCall call = read(in, new UnansweredCall());
                yield answer(
                        asked, call.getContext(), context -> unanswered(call, context), done -> new UnansweredResult());
            }
            default -> refused(asked.method, asked.id, ErrorCode.BAD_REQUEST, "no such call between servers");
        };
    }

    private CompletionStage<Reply> offsetAtTime(Asked asked, OffsetAtTimeCall call) {
        LogId id = Structs.log(call.getLog());
        return answer(
                asked,
                call.getContext(),
                context -> local.offsetAtTime(id, call.getTimeMillis(), context),
                OffsetResult::new);
    }

    private CompletionStage<Reply> delete(Asked asked, DeleteCall call) {
        LogId id = Structs.log(call.getLog());
        Deletion deletion = Structs.deletion(call);
        return answer(asked, call.getContext(), context -> local.delete(id, deletion, context), Structs::deleted);
    }

    private static <C extends TBase<?, ?>> C read(TProtocol in, C call) throws TException {
        call.read(in);
        in.readMessageEnd();
        return call;
    }

    /** Serves a request, unless its deadline has passed or its user's requests take too much memory. */
    private CompletionStage<Reply> inTime(
            Asked asked, WireContext sent, Function<ForwardContext, CompletionStage<Reply>> serve) {
        if (sent.getRemainingNanos() <= 0) {
            return refused(asked.method, asked.id, ErrorCode.REQUEST_PROCESS_TIMEOUT, "the deadline has passed");
        }
        if (!asked.memory.tryCountFor(sent.getCaller())) {
            return refused(asked.method, asked.id, ErrorCode.EXCESSIVE_PENDING_MESSAGE, NO_MEMORY);
        }
        long remaining = Math.min(sent.getRemainingNanos(), LONGEST_NANOS);
        ForwardContext context = new ForwardContext(sent.getCaller(), ticker.nanos() + remaining);
        Trace trace = sent.isSetTraceparent() ? Trace.of(sent.getTraceparent()) : null;
        if (trace == null) {
            return serve.apply(context);
        }
        Trace.Entered entered = trace.enter();
        try {
            return serve.apply(context);
        } finally {
            entered.leave();
        }
    }

    private <R> CompletionStage<Reply> answer(
            Asked asked,
            WireContext sent,
            Function<ForwardContext, CompletionStage<R>> serve,
            Function<R, TBase<?, ?>> encode) {
        return inTime(
                asked,
                sent,
                context -> serve.apply(context)
                        .handle((result, error) -> new Reply(
                                context.caller(),
                                error == null ? result(asked, encode.apply(result)) : error(asked, error),
                                LocalRequests::nothing,
                                LocalRequests::nothing)));
    }

    private CompletionStage<Boolean> unanswered(UnansweredCall call, ForwardContext context) {
        puts.unanswered(call.bufferForConnectionId(), call.getRequestId(), context.caller());
        return CompletableFuture.completedFuture(true);
    }

    private CompletionStage<Reply> put(Asked asked, LogId id, Put put, ForwardContext context) {
        CompletableFuture<Boolean> inFlight = new CompletableFuture<>();
        long number = lastPut.incrementAndGet();
        putsInFlight.put(number, inFlight);
        Runnable done = () -> {
            inFlight.complete(true);
            putsInFlight.remove(number);
        };
        if (closing) { // read after the put is added: drain() either waits for the put or the put is refused here
            done.run();
            return refused(asked.method, asked.id, ErrorCode.PARTITION_NOT_SERVING, "the server stops");
        }
        Optional<CompletableFuture<AppendResult>> begun = puts.begin(asked.connectionId, asked.id, context);
        if (begun.isEmpty()) {
            done.run();
            return refused(asked.method, asked.id, ErrorCode.REQUEST_PROCESS_TIMEOUT, "the put was cancelled");
        }
        CompletableFuture<AppendResult> stored = begun.get();
        store(id, put, context, stored);
        return stored.handle((result, error) -> {
            if (error != null) {
                return new Reply(context.caller(), error(asked, error), LocalRequests::nothing, done);
            }
            return new Reply(
                    context.caller(), result(asked, new OffsetResult(result.firstOffset())), result.unanswered(), done);
        });
    }

    private void store(LogId id, Put put, ForwardContext context, CompletableFuture<AppendResult> stored) {
        try {
            var unused = local.put(id, put, context).whenComplete((result, error) -> {
                if (error == null) {
                    stored.complete(result);
                } else {
                    stored.completeExceptionally(error);
                }
            });
        } catch (RuntimeException e) {
            stored.completeExceptionally(e);
        }
    }

    /** Answers a request with an error that had no effect. */
    CompletionStage<Reply> refused(String method, long id, ErrorCode code, String sentence) {
        try {
            TalosException refusal = TalosException.refused(code, sentence);
            return CompletableFuture.completedFuture(
                    new Reply("", Answer.error(method, id, refusal), LocalRequests::nothing, LocalRequests::nothing));
        } catch (TException e) {
            throw new IllegalStateException("an error can be written", e);
        }
    }

    private static List<ByteBuffer> result(Asked asked, TBase<?, ?> result) {
        try {
            return Answer.result(asked.method, asked.id, result);
        } catch (TException e) {
            throw new IllegalStateException("a result can be written", e);
        }
    }

    private static List<ByteBuffer> error(Asked asked, Throwable error) {
        Throwable cause = Exceptions.unwrap(error);
        TalosException failure;
        if (cause instanceof TalosException known) {
            failure = known;
        } else {
            LOG.error("request of another server failed method={}", asked.method, cause);
            boolean changes = asked.method.equals(Request.PUT) || asked.method.equals(Request.DELETE);
            Effect effect = changes ? Effect.UNKNOWN : Effect.NONE;
            failure = new TalosException(ErrorCode.INTERNAL_SERVER_ERROR, effect, "the partition's server failed");
        }
        try {
            return Answer.error(asked.method, asked.id, failure);
        } catch (TException e) {
            throw new IllegalStateException("an error can be written", e);
        }
    }

    private static void nothing() {
        // only a put has something to do once its answer is sent or lost
    }

    /** Refuses puts from now on, and waits until those in flight are answered, for at most this time. */
    void drain(long mostMillis) throws InterruptedException {
        closing = true;
        CompletableFuture<Void> all =
                CompletableFuture.allOf(putsInFlight.values().toArray(new CompletableFuture<?>[0]));
        try {
            all.get(mostMillis, TimeUnit.MILLISECONDS);
        } catch (TimeoutException | ExecutionException e) {
            LOG.warn("puts of other servers left unanswered puts={}", putsInFlight.size(), e);
        }
    }
}
