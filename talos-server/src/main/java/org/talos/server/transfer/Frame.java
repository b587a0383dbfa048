// SPDX-License-Identifier: Apache-2.0
package org.talos.server.transfer;

import org.apache.thrift.TException;
import org.apache.thrift.protocol.TProtocol;
import org.talos.common.wire.ThriftEncoding;
import org.talos.common.wire.Wire;

/** A request or an answer as it came, its seal checked. Immutable. */
final class Frame {
    /** Length, number, seal. */
    static final int HEAD_BYTES = Integer.BYTES + Long.BYTES + Seal.BYTES;
    /** Memory that a frame takes beside its bytes, roughly. */
    static final int OVERHEAD_BYTES = 512;

    private final long id;
    private final byte[] message;

    /** Nobody writes to the message any more: the blocks in it are views of it. */
    Frame(long id, byte[] message) {
        this.id = id;
        this.message = message;
    }

    /** Number of the request; an answer has its request's. */
    long id() {
        return id;
    }

    /** Length of the message. */
    int bytes() {
        return message.length;
    }

    /** A reader of the message. */
    TProtocol reader() throws TException {
        return Wire.reader(ThriftEncoding.COMPACT, message, 0, message.length);
    }
}
