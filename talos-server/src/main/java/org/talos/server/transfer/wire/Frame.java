// SPDX-License-Identifier: Apache-2.0
package org.talos.server.transfer.wire;

import org.apache.thrift.TException;
import org.apache.thrift.protocol.TProtocol;
import org.talos.common.wire.ThriftEncoding;
import org.talos.common.wire.Wire;

/** A request or an answer that was received, its MAC checked. Immutable. */
public final class Frame {
    /** Header of a frame: length, number, MAC. */
    public static final int HEADER_BYTES = Integer.BYTES + Long.BYTES + FrameMac.BYTES;
    /** Estimated memory that a frame takes beside its bytes. */
    public static final int OVERHEAD_BYTES = 512;

    private final long id;
    private final byte[] message;

    /** Blocks that are read from the message are views of it, so it must not change any more. */
    public Frame(long id, byte[] message) {
        this.id = id;
        this.message = message;
    }

    /** Number of the request; an answer has its request's. */
    public long id() {
        return id;
    }

    /** Length of the message. */
    public int bytes() {
        return message.length;
    }

    /** A reader of the message. */
    public TProtocol reader() throws TException {
        return Wire.reader(ThriftEncoding.COMPACT, message, 0, message.length);
    }
}
