// SPDX-License-Identifier: Apache-2.0
package org.talos.client.stream;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The queue of frames to write on a stream, for the thread that writes them, which takes all queued frames at once.
 *
 * <p>Thread-safe.
 */
final class Outbox {
    @GuardedBy("this")
    private List<Frame> frames = new ArrayList<>();

    @GuardedBy("this")
    private boolean closed;

    /** A message, or a control frame. Immutable: its bytes are not changed. */
    record Frame(int opcode, List<ByteBuffer> parts) {
        static Frame binary(ByteBuffer... parts) {
            return new Frame(FrameWriter.BINARY, List.of(parts));
        }
    }

    /** Adds a frame, unless it is closed. */
    synchronized void add(Frame frame) {
        if (!closed) {
            frames.add(frame);
            notify(); // only the writer waits
        }
    }

    /** Ends additions; the queued frames are still written. */
    synchronized void close() {
        closed = true;
        notify();
    }

    /** Closes it with a last frame; queued frames are not written any more. */
    synchronized void closeWith(Frame last) {
        if (!closed) {
            frames.clear();
            frames.add(last);
            closed = true;
            notify();
        }
    }

    /** Waits for frames and takes all of them; returns none if the queue is closed and empty. */
    synchronized List<Frame> take() throws InterruptedException {
        while (frames.isEmpty() && !closed) {
            wait();
        }
        List<Frame> taken = frames;
        frames = new ArrayList<>();
        return taken;
    }
}
