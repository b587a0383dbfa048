// SPDX-License-Identifier: Apache-2.0
package org.talos.server.transfer.server;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.util.concurrent.ScheduledFuture;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.config.TransferTlsConfig.TlsMode;
import org.talos.server.memory.Buffers;
import org.talos.server.memory.MemoryBudget;
import org.talos.server.transfer.server.LocalRequests.Reply;
import org.talos.server.transfer.tls.TlsFailure;
import org.talos.server.transfer.wire.Frame;
import org.talos.server.transfer.wire.FrameMac;
import org.talos.server.transfer.wire.Handshake;
import org.talos.thrift.ErrorCode;

/**
 * The accepting side of one connection: reads frames, passes the requests to {@link LocalRequests}, and sends answers
 * in the order in which they are ready.
 *
 * <p>Confined: its event loop.
 */
final class ServerConnection extends ChannelInboundHandlerAdapter {
    private static final Logger LOG = LoggerFactory.getLogger(ServerConnection.class);

    private final TransferServer.Shared shared;
    private final byte[] hello;
    private final byte[] replyBytes = new byte[Handshake.REPLY_BYTES];
    private final byte[] headerBytes = new byte[Frame.HEADER_BYTES];
    private final byte[] macBytes = new byte[FrameMac.BYTES];
    private final ReadingWatch reading = new ReadingWatch();
    private int have; // bytes of the reply, header or message that is being read
    private @Nullable Session session;
    private @Nullable Incoming incoming;
    private @Nullable ScheduledFuture<?> limit; // of the handshake
    private long lastId;
    private boolean ended;

    ServerConnection(TransferServer.Shared shared) {
        this.shared = shared;
        hello = Handshake.hello(shared.handshakes().tls().mode() == TlsMode.REQUIRE);
    }

    /** The keys and the name of a connection whose other side has proved the key. */
    private record Session(FrameMac requests, FrameMac answers, ByteBuffer connectionId) {}

    /** A frame whose message is being read. Confined: the event loop. */
    private static final class Incoming {
        private final long id;
        private final int bytes;
        private final @Nullable FrameMemory memory;
        private final byte @Nullable [] message; // null if there is no memory for it

        Incoming(long id, int bytes, @Nullable FrameMemory memory) {
            this.id = id;
            this.bytes = bytes;
            this.memory = memory;
            message = memory == null ? null : new byte[bytes];
        }

        void release() {
            if (memory != null) {
                memory.release();
            }
        }
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        shared.begin(context.channel());
        var unused = context.writeAndFlush(Unpooled.wrappedBuffer(hello));
        limit = context.executor()
                .schedule(
                        () -> refuse(context, "no proof of the key in time"),
                        shared.handshakes().nanos(),
                        TimeUnit.NANOSECONDS);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object received) {
        ByteBuf in = (ByteBuf) received;
        try {
            while (in.isReadable() && !ended) {
                readSome(context, in);
            }
        } catch (IOException e) {
            refuse(context, String.valueOf(e.getMessage()));
        } finally {
            in.release();
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof SslHandshakeCompletionEvent tls) {
            if (tls.isSuccess()) {
                checkName(context);
            } else if (!ended && !TlsFailure.is(tls.cause())) { // TLS reports its own alerts as exceptions
                refuse(context, TlsFailure.ENDED_THERE);
            }
        }
        context.fireUserEventTriggered(event);
    }

    private void checkName(ChannelHandlerContext context) {
        try {
            SslHandler handler = context.pipeline().get(SslHandler.class);
            shared.handshakes().tls().checkName(handler.engine().getSession());
        } catch (IOException e) {
            refuse(context, String.valueOf(e.getMessage()));
        }
    }

    private void readSome(ChannelHandlerContext context, ByteBuf in) throws IOException {
        Session with = session;
        Incoming coming = incoming;
        if (with == null) {
            if (fill(replyBytes, in)) {
                acceptReply(context);
            }
        } else if (coming == null) {
            if (fill(headerBytes, in)) {
                begin(context, with);
            }
        } else {
            readMessage(context, with, coming, in);
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

    private void acceptReply(ChannelHandlerContext context) throws IOException {
        if (TlsDetection.isTls(replyBytes[0])) { // unexpected here: otherwise it would have been decrypted
            throw new IOException(TlsFailure.NOT_TAKEN_HERE);
        }
        if (shared.handshakes().tls().mode() == TlsMode.REQUIRE
                && context.pipeline().get(SslHandler.class) == null) {
            throw new IOException(TlsFailure.REQUIRED_HERE);
        }
        Handshake handshake =
                Handshake.ofReply(hello, replyBytes, shared.handshakes().key());
        session = new Session(handshake.requests(), handshake.answers(), handshake.connectionId());
        shared.handshakes().open().remove(context.channel());
        stopLimit();
        var unused = context.writeAndFlush(Unpooled.wrappedBuffer(handshake.serverProof()));
    }

    private void begin(ChannelHandlerContext context, Session with) throws IOException {
        ByteBuffer header = ByteBuffer.wrap(headerBytes);
        int bytes = header.getInt() - (Frame.HEADER_BYTES - Integer.BYTES);
        long id = header.getLong();
        header.get(macBytes);
        if (bytes < 0 || bytes > shared.maxFrameBytes()) {
            throw new IOException("request of " + bytes + " bytes (expected: 0.." + shared.maxFrameBytes() + ")");
        }
        if (id <= lastId) {
            throw new IOException("request number " + id + " after " + lastId);
        }
        lastId = id;
        with.requests.begin(id);
        Incoming coming =
                new Incoming(id, bytes, FrameMemory.tryReserve(shared.memory(), TransferServer.reserved(bytes)));
        incoming = coming;
        if (bytes == 0) {
            end(context, with, coming);
        }
    }

    private void readMessage(ChannelHandlerContext context, Session with, Incoming coming, ByteBuf in)
            throws IOException {
        int now = Math.min(in.readableBytes(), coming.bytes - have);
        if (coming.message == null) {
            with.requests.update(in.nioBuffer(in.readerIndex(), now)); // only a sender with the key gets the refusal
            in.skipBytes(now);
        } else {
            in.readBytes(coming.message, have, now);
            with.requests.update(coming.message, have, now);
        }
        have += now;
        if (have == coming.bytes) {
            have = 0;
            end(context, with, coming);
        }
    }

    private void end(ChannelHandlerContext context, Session with, Incoming coming) throws IOException {
        if (!with.requests.matches(macBytes)) {
            throw new IOException("request with a wrong MAC");
        }
        incoming = null;
        byte[] message = coming.message;
        FrameMemory memory = coming.memory;
        if (message == null || memory == null) {
            shared.metrics().frameRefused();
            var unused = shared.requests()
                    .refused("", coming.id, ErrorCode.EXCESSIVE_PENDING_MESSAGE, LocalRequests.NO_MEMORY)
                    .thenAccept(reply -> send(context, with, coming.id, reply));
            return;
        }
        long begin = shared.ticker().nanos();
        var unused = shared.requests()
                .serve(new Frame(coming.id, message), with.connectionId, memory)
                .whenComplete((reply, thrown) -> {
                    memory.release();
                    shared.metrics().served(shared.ticker().nanos() - begin);
                    if (thrown == null) {
                        answer(context, with, coming.id, reply);
                    } else {
                        fail(context, thrown);
                    }
                });
    }

    /** Closes the connection, so that the client learns that the effect is unknown. */
    private static void fail(ChannelHandlerContext context, Throwable thrown) {
        LOG.error("request of another server failed; its connection is closed", thrown);
        var unused = context.close();
    }

    /** Sends an answer; may be called by any thread. */
    private void answer(ChannelHandlerContext context, Session with, long id, Reply reply) {
        if (context.executor().inEventLoop()) {
            send(context, with, id, reply);
            return;
        }
        try {
            context.executor().execute(() -> send(context, with, id, reply));
        } catch (RejectedExecutionException e) { // the loop and its connection have ended
            reply.onLost().run();
            reply.onDone().run();
        }
    }

    private void send(ChannelHandlerContext context, Session with, long id, Reply reply) {
        long bytes = Buffers.bytes(reply.message());
        MemoryBudget.Share memory = shared.memory().of(reply.user());
        if (bytes > TransferServer.SMALL_BYTES && !isRoomFor(bytes, memory)) {
            shared.metrics().frameRefused();
            var unused = shared.requests()
                    .refused("", id, ErrorCode.EXCESSIVE_PENDING_MESSAGE, LocalRequests.NO_MEMORY)
                    .thenAccept(refusal -> send(context, with, id, refusal));
            return;
        }
        List<ByteBuffer> frame = new ArrayList<>();
        frame.add(with.answers.header(id, reply.message()));
        frame.addAll(reply.message());
        context.writeAndFlush(Unpooled.wrappedBuffer(frame.toArray(new ByteBuffer[0])))
                .addListener(written -> {
                    reading.answerWritten();
                    if (bytes > TransferServer.SMALL_BYTES) {
                        memory.release(bytes);
                    }
                    if (!written.isSuccess()) {
                        reply.onLost().run();
                    }
                    reply.onDone().run();
                });
    }

    private boolean isRoomFor(long bytes, MemoryBudget.Share memory) {
        return bytes <= shared.maxFrameBytes() && memory.tryReserve(bytes);
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        if (!ended) {
            reading.writabilityChanged(context.channel(), () -> refuse(context, "reads no answers"));
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
        shared.refused(context.channel().remoteAddress(), reason);
        var unused = context.close();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        ended = true;
        stopLimit();
        reading.stop();
        shared.handshakes().open().remove(context.channel());
        Incoming coming = incoming;
        if (coming != null) {
            incoming = null;
            coming.release();
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        shared.failed(context.channel().remoteAddress(), cause);
        var unused = context.close();
    }
}
