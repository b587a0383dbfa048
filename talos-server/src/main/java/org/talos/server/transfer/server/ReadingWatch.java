// SPDX-License-Identifier: Apache-2.0
package org.talos.server.transfer.server;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Checks that the other side of a connection reads. While the channel is not writable because many answers wait, bytes
 * must leave continually. The number and the age of waiting answers show nothing, because new answers may always
 * arrive.
 *
 * <p>Confined: the connection's event loop.
 */
final class ReadingWatch {
    private static final long PAUSE_SECONDS = 5;
    private static final int MOST_IN_VAIN = 6; // checks without progress: 30 s

    private @Nullable ScheduledFuture<?> next; // check; null: few answers wait
    private Progress seen = new Progress(0, 0, 0);
    private long written; // answers
    private int inVain;

    /**
     * How far writing has come. Immutable.
     *
     * @param answers that were sent whole
     * @param current the piece being sent; with TLS an answer has many
     * @param bytes of that piece
     */
    private record Progress(long answers, int current, long bytes) {}

    /** Notes that an answer was sent whole. */
    void answerWritten() {
        written++;
    }

    /**
     * To be called whenever the channel becomes writable or ceases to be.
     *
     * @param onStuck runs once nothing has been read for some 30 s although much waits; ends the connection
     */
    void writabilityChanged(Channel channel, Runnable onStuck) {
        stop();
        if (!channel.isWritable()) {
            seen = progress(channel);
            inVain = 0;
            lookLater(channel, onStuck);
        }
    }

    private Progress progress(Channel channel) {
        ChannelOutboundBuffer waiting = channel.unsafe().outboundBuffer();
        return waiting == null
                ? new Progress(written, 0, 0)
                : new Progress(written, System.identityHashCode(waiting.current()), waiting.currentProgress());
    }

    private void lookLater(Channel channel, Runnable onStuck) {
        next = channel.eventLoop().schedule(() -> look(channel, onStuck), PAUSE_SECONDS, TimeUnit.SECONDS);
    }

    private void look(Channel channel, Runnable onStuck) {
        Progress now = progress(channel);
        inVain = now.equals(seen) ? inVain + 1 : 0;
        seen = now;
        if (inVain < MOST_IN_VAIN) {
            lookLater(channel, onStuck);
        } else {
            onStuck.run();
        }
    }

    /** Ends the checks. */
    void stop() {
        ScheduledFuture<?> set = next;
        if (set != null) {
            set.cancel(false);
            next = null;
        }
    }
}
