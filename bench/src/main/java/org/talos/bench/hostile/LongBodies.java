// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.hostile;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.talos.bench.hostile.wire.Check;
import org.talos.bench.hostile.wire.HttpCheck;

/**
 * Chunked bodies in pieces of odd sizes, as fast as they go, until they are too long for any put or just not.
 *
 * <p>Confined: its thread, but for {@link #close}.
 */
final class LongBodies implements Attacker {
    private static final int LARGEST_PUT = 24 << 20;
    private static final int LARGEST_CHUNK = 64 << 10;
    private static final int READ_BYTES = 4 << 10;
    private static final int LONGEST_ANSWER_MILLIS = 75_000;

    private final Victim victim;
    private final Tally tally;
    private final HostileRequests requests;
    private final byte[] bytes;
    private volatile Socket socket = new Socket();

    LongBodies(HostileRequests requests) {
        victim = requests.victim();
        tally = requests.tally();
        this.requests = requests;
        bytes = requests.randomBytes(LARGEST_CHUNK);
    }

    @Override
    public void round() throws IOException {
        try (Socket one = new Socket(victim.host(), victim.port())) {
            socket = one;
            one.setSoTimeout(LONGEST_ANSWER_MILLIS);
            tally.begun();
            OutputStream out = one.getOutputStream();
            out.write(requests.headOfPut("Transfer-Encoding: chunked"));
            int left = requests.random().nextInt(LARGEST_PUT + LARGEST_PUT / 4);
            while (left > 0) {
                int size = 1
                        + requests.random()
                                .nextInt(Math.min(left, requests.random().nextBoolean() ? 16 : LARGEST_CHUNK));
                out.write((Integer.toHexString(size) + "\r\n").getBytes(StandardCharsets.US_ASCII));
                out.write(bytes, 0, size);
                out.write('\r');
                out.write('\n');
                left -= size;
            }
            out.write("0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            answer(one.getInputStream());
        }
    }

    private void answer(InputStream in) throws IOException {
        HttpCheck answer = new HttpCheck(status -> Check.ANY);
        Check all = Check.both(victim.secretCheck(), answer);
        byte[] some = new byte[READ_BYTES];
        while (answer.answers() == 0) {
            int count = in.read(some);
            if (count < 0) {
                throw new IOException("the server has ended the connection");
            }
            tally.received(count);
            all.accept(ByteBuffer.wrap(some, 0, count));
        }
        tally.answered(answer.status());
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
