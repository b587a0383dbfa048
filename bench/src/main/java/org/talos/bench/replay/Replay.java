// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.replay;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.LongAdder;
import org.talos.bench.load.Polls;
import org.talos.bench.load.RequestSource;

/**
 * The gets of a consumer that reads a full partition from its first message to its last, and then again: however short
 * the way, it lasts as long as what is measured beside it. A get that brings nothing is wrong.
 *
 * <p>Confined: the loop's thread.
 */
final class Replay implements RequestSource {
    private final Polls polls;
    private final long messages;
    private final LongAdder read;

    /**
     * A consumer at the first message.
     *
     * @param messages of the partition
     * @param read counts messages, of all consumers
     */
    Replay(Polls polls, long messages, LongAdder read) {
        this.polls = polls;
        this.messages = messages;
        this.read = read;
    }

    @Override
    public ByteBuffer next() {
        if (polls.received() == messages) {
            polls.rewind();
        }
        return polls.next();
    }

    @Override
    public Outcome answered(ByteBuffer body) {
        long before = polls.received();
        Outcome outcome = polls.answered(body);
        read.add(polls.received() - before);
        return outcome == Outcome.NOTHING || polls.received() > messages ? Outcome.WRONG : outcome;
    }
}
