// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.stream;

import java.nio.ByteBuffer;
import java.util.concurrent.Executor;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.websocket.core.CoreSession;
import org.eclipse.jetty.websocket.core.Frame;
import org.eclipse.jetty.websocket.core.OpCode;
import org.jspecify.annotations.Nullable;
import org.talos.server.http.lent.LentBuffer;
import org.talos.server.http.lent.LentBuffers;

/**
 * Writes a stream's messages, one frame after another, through buffers outside the heap; the JDK would otherwise copy
 * heap buffers into native memory of its own. A large message takes several frames.
 *
 * <p>Confined: the events of its stream.
 */
final class StreamWriter {
    /** A selector is done with so much in a fraction of a millisecond. */
    private static final int LARGE_BYTES = 128 << 10;

    private final StreamSession session;
    private final CoreSession socket;
    private final LentBuffers pool;
    private final Executor events;
    private final Executor later;
    private final Runnable afterwards;
    private final byte opcode;
    private @Nullable Outgoing current;
    private boolean begun; // a frame of the current message has been written
    private boolean underWay;
    private boolean ended;

    /**
     * Creates a writer of the session's messages.
     *
     * @param pool has the buffers that are written from
     * @param events runs the next step after a frame, never within a call of this
     * @param later the same, once other connections have had their turn
     * @param afterwards runs when a message has been written
     */
    StreamWriter(
            StreamSession session,
            CoreSession socket,
            LentBuffers pool,
            Executor events,
            Executor later,
            Runnable afterwards) {
        this.session = session;
        this.socket = socket;
        this.pool = pool;
        this.events = events;
        this.later = later;
        this.afterwards = afterwards;
        opcode = session.isText() ? OpCode.TEXT : OpCode.BINARY;
    }

    /** Begins to write the next message, unless a frame is being written. */
    void write() {
        if (underWay || ended) {
            return;
        }
        Outgoing message = current;
        if (message == null) {
            message = session.nextOutgoing();
            begun = false;
            current = message;
        }
        if (message != null) {
            underWay = true;
            frame(message);
        }
    }

    private void frame(Outgoing message) {
        LentBuffer piece = pool.take((int) Math.min(message.remaining(), LentBuffers.LARGEST_BYTES));
        ByteBuffer target = piece.clear();
        message.parts().forEach(part -> fill(target, part));
        boolean large = target.flip().remaining() >= LARGE_BYTES;
        boolean last = message.remaining() == 0;
        Frame frame = new Frame(begun ? OpCode.CONTINUATION : opcode, last, target);
        begun = true;
        Callback written = piece.lend(new Written(piece, large, last ? message : null));
        socket.sendFrame(frame, written, last && session.hasOutgoing());
    }

    private static void fill(ByteBuffer target, ByteBuffer part) {
        int bytes = Math.min(target.remaining(), part.remaining());
        target.put(target.position(), part, part.position(), bytes);
        target.position(target.position() + bytes);
        part.position(part.position() + bytes);
    }

    boolean isIdle() {
        return current == null;
    }

    /** Writes nothing further. A message of which Jetty still writes a frame keeps its memory until that has ended. */
    void end() {
        ended = true;
        if (!underWay) {
            giveUp();
        }
    }

    private void giveUp() {
        Outgoing message = current;
        current = null;
        if (message != null) {
            session.unwritten(message);
        }
    }

    /** The end of a frame. Thread-safe. */
    private final class Written implements Callback {
        private final LentBuffer piece;
        private final boolean large;
        private final @Nullable Outgoing whole; // if the frame was the message's last

        Written(LentBuffer piece, boolean large, @Nullable Outgoing whole) {
            this.piece = piece;
            this.large = large;
            this.whole = whole;
        }

        @Override
        public InvocationType getInvocationType() {
            return InvocationType.NON_BLOCKING;
        }

        @Override
        public void succeeded() {
            piece.close();
            (large ? later : events).execute(this::resume);
        }

        @Override
        public void failed(Throwable cause) {
            piece.close();
            events.execute(
                    () -> { // that the connection has failed is heard otherwise
                        underWay = false;
                        end();
                    });
        }

        private void resume() {
            underWay = false;
            if (whole != null) {
                current = null;
                session.written(whole);
            }
            if (ended) {
                giveUp();
            }
            afterwards.run();
        }
    }
}
