// SPDX-License-Identifier: Apache-2.0
package org.talos.client.stream;

import org.jspecify.annotations.Nullable;
import org.talos.client.transport.PartitionRef;
import org.talos.thrift.MessageBlock;

/**
 * A put with its identity, which may be handed over several times and is stored once. A put that a stream may have
 * stored is never sent by a call afterwards, nor the reverse, because streams and calls use different identities.
 *
 * <p>Thread-safe; handed over to one at a time.
 */
public final class NumberedPut {
    private final String producer;
    private final PartitionRef partition;
    private final MessageBlock block;
    private final long number;
    private final @Nullable String name;
    private volatile boolean maybeOnStream;
    private volatile boolean inFlight;
    private volatile boolean called;

    /**
     * Creates a put that was not handed over yet.
     *
     * @param producer the put's producer, also if it is sent again by another one
     * @param number unique among its producer's, and larger than those of the puts before
     */
    public NumberedPut(String producer, PartitionRef partition, MessageBlock block, long number) {
        this(producer, partition, block, number, null);
    }

    private NumberedPut(
            String producer, PartitionRef partition, MessageBlock block, long number, @Nullable String name) {
        this.producer = producer;
        this.partition = partition;
        this.block = block;
        this.number = number;
        this.name = name;
    }

    /**
     * Returns the same with an identity of the program's choice. Such a put only goes by calls, because a stream
     * identifies puts by numbers.
     *
     * @param sequenceId the identity, as a call has it
     */
    public NumberedPut named(String sequenceId) {
        NumberedPut named = new NumberedPut(producer, partition, block, number, sequenceId);
        named.called();
        return named;
    }

    /** Its identity as a call has it. */
    public String sequenceId() {
        return name == null ? producer + "#" + number : name;
    }

    /** Returns its producer. */
    public String producer() {
        return producer;
    }

    /** Returns where it goes. */
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

    /** Notes that the put has been sent on a stream. */
    void sent() {
        inFlight = true;
    }

    /** Notes a stream's answer that the put was not stored. */
    void back() {
        inFlight = false;
    }

    /** Notes that a stream has stored the put, or may have. */
    void maybeOnStream() {
        maybeOnStream = true;
    }

    /** Returns whether a stream may have stored the put, or may still store it. */
    public boolean isMaybeOnStream() {
        return maybeOnStream || inFlight;
    }

    /** Notes that the put goes by a call. */
    public void called() {
        called = true;
    }

    /** Returns whether the put has gone by a call. */
    boolean wasCalled() {
        return called;
    }
}
