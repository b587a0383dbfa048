// SPDX-License-Identifier: Apache-2.0
package org.talos.server.transfer.wire;

import org.apache.thrift.TException;
import org.apache.thrift.protocol.TProtocol;
import org.talos.common.wire.ThriftEncoding;
import org.talos.common.wire.Wire;

/** A request or an answer as it came, its seal checked. Immutable. */
public final class Frame {
    /** Length, number, seal. */
    public static final int HEAD_BYTES = Integer.BYTES + Long.BYTES + FrameMac.BYTES;
    /** Memory that a frame takes beside its bytes, roughly. */
    public static final int OVERHEAD_BYTES = 512;

    private final long id;
    private final byte[] message;

    /** Nobody writes to the message any more: the blocks in it are views of it. */
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
