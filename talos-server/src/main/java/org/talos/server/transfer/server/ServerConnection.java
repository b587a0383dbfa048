// SPDX-License-Identifier: Apache-2.0
package org.talos.server.transfer.server;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.concurrent.ScheduledFuture;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.talos.server.transfer.server.LocalRequests.Reply;
import org.talos.server.transfer.wire.Frame;
import org.talos.server.transfer.wire.FrameMac;
import org.talos.server.transfer.wire.Greeting;
import org.talos.thrift.ErrorCode;

/**
 * The accepting side of one connection: takes frames in as they come, hands whole ones on, and sends answers in the
 * order in which they are ready.
 *
 * <p>Confined: its event loop.
 */
final class ServerConnection extends ChannelInboundHandlerAdapter {
    private static final long STUCK_SECONDS = 30; // an answer that the other side does not take

    private final TransferServer.Parts parts;
    private final byte[] hello = Greeting.hello();
    private final byte[] greetingBytes = new byte[Greeting.REPLY_BYTES];
    private final byte[] headBytes = new byte[Frame.HEAD_BYTES];
    private final byte[] sealBytes = new byte[FrameMac.BYTES];
    private int have; // bytes of what is being taken in
    private @Nullable Greeted greeted;
    private @Nullable Incoming incoming;
    private @Nullable ScheduledFuture<?> limit; // to the greeting, later to an answer that is not taken
    private long lastId;
    private boolean ended;

    ServerConnection(TransferServer.Parts parts) {
        this.parts = parts;
    }

    /** What both sides agree on once the key is proved. */
    private record Greeted(FrameMac requests, FrameMac answers, ByteBuffer connectionId) {}

    /** A frame whose message is coming. Confined: the event loop. */
    private static final class Incoming {
        private final long id;
        private final int bytes;
        private final byte @Nullable [] message; // null if there is no memory for it

        Incoming(long id, int bytes, boolean room) {
            this.id = id;
            this.bytes = bytes;
            message = room ? new byte[bytes] : null;
        }

        long reserved() {
            return message == null ? 0 : TransferServer.reserved(bytes);
        }
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        parts.greeting().incrementAndGet();
        var unused = context.writeAndFlush(Unpooled.wrappedBuffer(hello));
        limit = context.executor()
                .schedule(
                        () -> refuse(context, "no proof of the key in time"),
                        parts.greetingNanos(),
                        TimeUnit.NANOSECONDS);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object received) {
        ByteBuf in = (ByteBuf) received;
        try {
            while (in.isReadable() && !ended) {
                takeIn(context, in);
            }
        } catch (IOException e) {
            refuse(context, String.valueOf(e.getMessage()));
        } finally {
            in.release();
        }
    }

    private void takeIn(ChannelHandlerContext context, ByteBuf in) throws IOException {
        Greeted with = greeted;
        Incoming coming = incoming;
        if (with == null) {
            if (fill(greetingBytes, in)) {
                greet(context);
            }
        } else if (coming == null) {
            if (fill(headBytes, in)) {
                begin(context, with);
            }
        } else {
            takeMessage(context, with, coming, in);
        }
    }

    private boolean fill(byte[] target, ByteBuf in) {
        int now = Math.min(in.readableBytes(), target.length - have);
        in.readBytes(target, have, now);
        have += now;
        boolean full = have == target.length;
        if (full) {
            have = 0;
        }
        return full;
    }

    private void greet(ChannelHandlerContext context) throws IOException {
        Greeting greeting = Greeting.answered(hello, greetingBytes, parts.key());
        greeted = new Greeted(greeting.requests(), greeting.answers(), greeting.connectionId());
        parts.greeting().decrementAndGet();
        stopLimit();
        var unused = context.writeAndFlush(Unpooled.wrappedBuffer(greeting.serverProof()));
    }

    private void begin(ChannelHandlerContext context, Greeted with) throws IOException {
        ByteBuffer head = ByteBuffer.wrap(headBytes);
        int bytes = head.getInt() - (Frame.HEAD_BYTES - Integer.BYTES);
        long id = head.getLong();
        head.get(sealBytes);
        if (bytes < 0 || bytes > parts.maxFrameBytes()) {
            throw new IOException("request of " + bytes + " bytes (expected: 0.." + parts.maxFrameBytes() + ")");
        }
        if (id <= lastId) {
            throw new IOException("request number " + id + " after " + lastId);
        }
        lastId = id;
        with.requests.begin(id);
        boolean room = parts.memory().tryReserve(TransferServer.reserved(bytes));
        Incoming coming = new Incoming(id, bytes, room);
        incoming = coming;
        if (bytes == 0) {
            end(context, with, coming);
        }
    }

    private void takeMessage(ChannelHandlerContext context, Greeted with, Incoming coming, ByteBuf in)
            throws IOException {
        int now = Math.min(in.readableBytes(), coming.bytes - have);
        if (coming.message == null) {
            with.requests.add(in.nioBuffer(in.readerIndex(), now)); // its answer too goes only to who has the key
            in.skipBytes(now);
        } else {
            in.readBytes(coming.message, have, now);
            with.requests.add(coming.message, have, now);
        }
        have += now;
        if (have == coming.bytes) {
            have = 0;
            end(context, with, coming);
        }
    }

    private void end(ChannelHandlerContext context, Greeted with, Incoming coming) throws IOException {
        if (!with.requests.endsAs(sealBytes)) {
            throw new IOException("request without its seal");
        }
        incoming = null;
        byte[] message = coming.message;
        if (message == null) {
            parts.metrics().frameRefused();
            var unused = parts.requests()
                    .refused("", coming.id, ErrorCode.EXCESSIVE_PENDING_MESSAGE, "the partition's server lacks memory")
                    .thenAccept(reply -> send(context, with, coming.id, reply));
            return;
        }
        long begin = parts.ticker().nanos();
        var unused = parts.requests()
                .serve(new Frame(coming.id, message), with.connectionId)
                .thenAccept(reply -> {
                    parts.memory().release(coming.reserved());
                    parts.metrics().served(parts.ticker().nanos() - begin);
                    answer(context, with, coming.id, reply);
                });
    }

    /** From any thread: an answer is ready. */
    private void answer(ChannelHandlerContext context, Greeted with, long id, Reply reply) {
        if (context.executor().inEventLoop()) {
            send(context, with, id, reply);
            return;
        }
        try {
            context.executor().execute(() -> send(context, with, id, reply));
        } catch (RejectedExecutionException e) { // the loop has ended, and the connection with it
            reply.lost().run();
            reply.sent().run();
        }
    }

    private void send(ChannelHandlerContext context, Greeted with, long id, Reply reply) {
        long bytes = reply.message().stream().mapToLong(ByteBuffer::remaining).sum();
        if (bytes > TransferServer.SMALL_BYTES && !isRoomFor(bytes)) {
            parts.metrics().frameRefused();
            var unused = parts.requests()
                    .refused("", id, ErrorCode.EXCESSIVE_PENDING_MESSAGE, "the partition's server lacks memory")
                    .thenAccept(refusal -> send(context, with, id, refusal));
            return;
        }
        List<ByteBuffer> frame = new ArrayList<>();
        frame.add(with.answers.head(id, reply.message()));
        frame.addAll(reply.message());
        context.writeAndFlush(Unpooled.wrappedBuffer(frame.toArray(new ByteBuffer[0])))
                .addListener(written -> {
                    if (bytes > TransferServer.SMALL_BYTES) {
                        parts.memory().release(bytes);
                    }
                    if (!written.isSuccess()) {
                        reply.lost().run();
                    }
                    reply.sent().run();
                });
    }

    private boolean isRoomFor(long bytes) {
        return bytes <= parts.maxFrameBytes() && parts.memory().tryReserve(bytes);
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        stopLimit();
        if (!context.channel().isWritable()) {
            limit = context.executor()
                    .schedule(() -> refuse(context, "takes no answers"), STUCK_SECONDS, TimeUnit.SECONDS);
        }
    }

    private void stopLimit() {
        ScheduledFuture<?> set = limit;
        if (set != null) {
            set.cancel(false);
            limit = null;
        }
    }

    private void refuse(ChannelHandlerContext context, String reason) {
        ended = true;
        parts.refused(context.channel().remoteAddress(), reason);
        var unused = context.close();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        ended = true;
        stopLimit();
        if (greeted == null) {
            parts.greeting().decrementAndGet();
        }
        Incoming coming = incoming;
        if (coming != null) {
            incoming = null;
            parts.memory().release(coming.reserved());
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        parts.failed(context.channel().remoteAddress(), cause);
        var unused = context.close();
    }
}
