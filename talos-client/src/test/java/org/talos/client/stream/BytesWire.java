// SPDX-License-Identifier: Apache-2.0
package org.talos.client.stream;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.List;
import org.talos.client.transport.socket.Wire;

/** Bytes that have been received, and what is sent. Confined: the test. */
final class BytesWire implements Wire {
    private final ByteBuffer received;
    private final ByteArrayOutputStream sent = new ByteArrayOutputStream();

    BytesWire(byte[] received) {
        this.received = ByteBuffer.wrap(received);
    }

    byte[] sent() {
        return sent.toByteArray();
    }

    @Override
    public ByteBuffer arrived() {
        return received;
    }

    @Override
    public void await() {
        received.mark(); // all that comes has come
    }

    @Override
    public boolean fill() {
        return false;
    }

    @Override
    public int read(byte[] target, int from, int end) {
        int bytes = Math.min(end - from, received.remaining());
        received.get(target, from, bytes);
        return bytes == 0 ? -1 : bytes;
    }

    @Override
    public void write(List<ByteBuffer> parts) {
        for (ByteBuffer part : parts) {
            byte[] bytes = new byte[part.remaining()];
            part.duplicate().get(bytes);
            sent.writeBytes(bytes);
        }
    }

    @Override
    public long written() {
        return sent.size();
    }

    @Override
    public boolean isQuiet() {
        return !received.hasRemaining();
    }

    @Override
    public void release() {
        received.position(received.limit());
    }

    @Override
    public boolean isAlive() {
        return true;
    }

    @Override
    public void disconnect() {
        release();
    }

    @Override
    public void close() {
        release();
    }
}
