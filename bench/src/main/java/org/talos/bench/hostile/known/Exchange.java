// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.hostile.known;

import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.function.BooleanSupplier;
import org.talos.bench.hostile.wire.Check;

/** One request on a connection, whose answer goes to a check. Confined: its thread. */
final class Exchange {
    private static final int LONGEST_SILENCE_MILLIS = 60_000;
    private static final int READ_BYTES = 64 << 10;

    private Exchange() {}

    /**
     * Sends a request and reads until the answer is whole.
     *
     * @throws org.talos.bench.hostile.wire.ForeignBytesException the answer has other bytes
     * @throws IOException the connection has ended, or nothing came for a minute
     */
    static void run(Socket socket, byte[] request, Check answer, BooleanSupplier whole) throws IOException {
        socket.setSoTimeout(LONGEST_SILENCE_MILLIS);
        socket.getOutputStream().write(request);
        byte[] some = new byte[READ_BYTES];
        while (!whole.getAsBoolean()) {
            int count = socket.getInputStream().read(some);
            if (count < 0) {
                throw new IOException("the server ended the connection before its answer");
            }
            answer.accept(ByteBuffer.wrap(some, 0, count));
        }
    }
}
