// SPDX-License-Identifier: Apache-2.0
package org.talos.server.transfer.wire;

import org.apache.thrift.TException;
import org.apache.thrift.protocol.TProtocol;
import org.talos.common.wire.ThriftEncoding;
import org.talos.common.wire.Wire;

/** A received request or answer whose MAC was checked. Immutable. */
public final class Frame {
    /** The header of a frame: length, number, MAC. */
    public static final int HEADER_BYTES = Integer.BYTES + Long.BYTES + FrameMac.BYTES;
    /** Estimated memory that a frame takes beside its bytes. */
    public static final int OVERHEAD_BYTES = 512;

    private final long id;
    private final byte[] message;

    /** Creates a frame. The message must no longer change, because blocks that are read from it are views of it. */
    public Frame(long id, byte[] message) {
        this.id = id;
        this.message = message;
    }

    /** Returns the number of the request; an answer has its request's number. */
    public long id() {
        return id;
    }

    /** Returns the length of the message. */
    public int bytes() {
        return message.length;
    }

    /** Returns a reader of the message. */
    public TProtocol reader() throws TException {
        return Wire.reader(ThriftEncoding.COMPACT, message, 0, message.length);
    }
}
