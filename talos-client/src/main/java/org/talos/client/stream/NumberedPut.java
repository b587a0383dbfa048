// SPDX-License-Identifier: Apache-2.0
package org.talos.client.stream;

import org.talos.client.transport.PartitionRef;
import org.talos.thrift.MessageBlock;

/**
 * A put with its identity, which may be handed over several times and is stored once: what a stream may have stored
 * goes by no call afterwards, and what was called by no stream, as either has an identity of its own.
 *
 * <p>Thread-safe; handed over to one at a time.
 */
public final class NumberedPut {
    private final String producer;
    private final PartitionRef partition;
    private final MessageBlock block;
    private final long number;
    private volatile boolean maybeOnStream;
    private volatile boolean inFlight;
    private volatile boolean called;

    /**
     * A put that was not handed over yet.
     *
     * @param producer whose put it is, and stays, whoever sends it
     * @param number unique among its producer's, and larger than those of the puts before
     */
    public NumberedPut(String producer, PartitionRef partition, MessageBlock block, long number) {
        this.producer = producer;
        this.partition = partition;
        this.block = block;
        this.number = number;
    }

    /** Whose it is. */
    public String producer() {
        return producer;
    }

    /** Where it goes. */
    public PartitionRef partition() {
        return partition;
    }

    /** Its messages. */
    public MessageBlock block() {
        return block;
    }

    /** Its number among the puts of its producer. */
    public long number() {
        return number;
    }

    /** It has been sent on a stream. */
    void sent() {
        inFlight = true;
    }

    /** A stream has answered that it was not stored. */
    void back() {
        inFlight = false;
    }

    /** A stream has stored it, or may have. */
    void maybeOnStream() {
        maybeOnStream = true;
    }

    /** Whether a stream may have stored it, or may do so yet. */
    public boolean isMaybeOnStream() {
        return maybeOnStream || inFlight;
    }

    /** It goes by a call. */
    public void called() {
        called = true;
    }

    /** Whether it has gone by a call. */
    boolean wasCalled() {
        return called;
    }
}
