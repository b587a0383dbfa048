// SPDX-License-Identifier: Apache-2.0
package org.talos.client.stream;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.talos.client.transport.CallFailure;
import org.talos.client.transport.PartitionRef;
import org.talos.client.transport.RoutedCalls;
import org.talos.thrift.MessageBlock;
import org.talos.thrift.MessageCompressionType;

/** Puts of a producer on streams, whose time and events come by hand. Confined: one test. */
abstract class HandDrivenPuts {
    static final int WINDOW = 1_000;
    static final Duration TIMEOUT = Duration.ofSeconds(10);
    /** Until another server than one that has broken is asked for a stream, at most. */
    static final Duration ELSEWHERE = Duration.ofSeconds(1);

    long nowNanos;
    Duration repeated = Duration.ofMinutes(2);
    final List<PutLink> opened = new ArrayList<>();
    final List<String> sent = new ArrayList<>();
    final List<String> called = new ArrayList<>();
    final Map<Long, Runnable> calls = new HashMap<>();
    final List<String> ended = new ArrayList<>();
    final List<String> aborted = new ArrayList<>();
    PutSession session = session(false);

    PutSession session(boolean gapless) {
        return new PutSession(new HandDriven(), routes(), "orders", TIMEOUT, gapless, new SplittableRandom(1));
    }

    /** Notes what the session does. Confined: the test. */
    final class HandDriven implements PutSession.Ground {
        @Override
        public long nanos() {
            return nowNanos;
        }

        @Override
        public void open(PutLink link) {
            opened.add(link);
            link.connect(new Way() {
                @Override
                public void send(ByteBuffer... parts) {
                    String ordered = parts[0].get(1) == 1 ? " ordered" : "";
                    sent.add(link.server().getHost() + " " + parts[0].getLong(8) + ordered);
                }

                @Override
                public void ping() {
                    throw new AssertionError("a ping");
                }

                @Override
                public void close() {
                    aborted.add("closed");
                }

                @Override
                public void abort(String why) {
                    aborted.add(why);
                }
            });
        }

        @Override
        public void call(PendingPut put, Runnable done) {
            called.add("call " + put.number);
            calls.put(put.number, done);
        }

        @Override
        public void end(PendingPut put, @Nullable CallFailure failure) {
            CallFailure ending = failure == null ? null : put.ending(failure);
            String how = ending == null ? "stored" : ending.code() + (ending.surelyNotDone() ? "" : " unknown");
            ended.add(put.number + " " + how);
        }
    }

    RoutedCalls routes() {
        return TwoServers.routes(() -> nowNanos, TIMEOUT, new RoutedCalls.CallListener() {
            @Override
            public void tried(String method, URI server, Duration took, @Nullable CallFailure failure) {
                assertThat(method).isEqualTo("putMessage");
            }

            @Override
            public void repeating(String method, CallFailure failure, Duration pause) {
                assertThat(pause).isPositive();
            }
        });
    }

    void put(int partition, long number) {
        put(partition, number, 10);
    }

    void put(int partition, long number, int bytes) {
        hand(numbered(partition, number, bytes));
    }

    /** Hands a put over: now, or again. */
    void hand(NumberedPut put) {
        long end = nowNanos + Duration.ofMinutes(2).toNanos();
        session.put(new PendingPut(put, nowNanos + repeated.toNanos(), end));
    }

    static NumberedPut numbered(int partition, long number, int bytes) {
        ByteBuffer block = ByteBuffer.wrap("x".repeat(bytes).getBytes(UTF_8));
        return new NumberedPut(
                "shop-7",
                new PartitionRef("orders", "me#orders#1", partition),
                new MessageBlock(0, 1, MessageCompressionType.NONE, block),
                number);
    }

    PutLink link() {
        return opened.get(opened.size() - 1);
    }

    PutLink open() {
        session.received(link(), new ServerMessage.Opened(WINDOW, WINDOW, 4));
        return link();
    }

    void stored(PutLink link, int partition, long number) {
        session.received(link, new ServerMessage.Stored(List.of(new ServerMessage.Place(partition, number, 0))));
    }

    void refused(PutLink link, int partition, long number, String code, int status) {
        StreamProblem problem = new StreamProblem(Map.of("code", code, "status", Integer.toString(status)));
        session.received(link, new ServerMessage.Refused(true, partition, number, problem));
    }

    void pass(Duration time) {
        nowNanos += time.toNanos();
        session.tick();
    }
}
