// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.hostile;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.util.function.Supplier;
import org.talos.bench.hostile.wire.Check;
import org.talos.bench.hostile.wire.HttpCheck;
import org.talos.bench.hostile.wire.OwnJsonCheck;
import org.talos.bench.hostile.wire.RefusalCheck;

/**
 * Sends requests on one connection, some at once, and reads their answers.
 *
 * <p>Confined: its thread, but for {@link #close}.
 */
final class RequestLoop implements Attacker {
    private static final int LONGEST_ANSWER_MILLIS = 75_000; // a minute is the longest deadline that one may name
    private static final int READ_BYTES = 16 << 10;

    private final Socket socket;
    private final InputStream in;
    private final Tally tally;
    private final Supplier<byte[]> requests;
    private final int atOnce;
    private final HttpCheck answers;
    private final Check all;
    private final byte[] some = new byte[READ_BYTES];

    /**
     * Connects; the answers may hold anything but other users' bytes.
     *
     * @param requests whole ones
     * @param atOnce requests that are sent before their answers are read
     */
    RequestLoop(Victim victim, Tally tally, Supplier<byte[]> requests, int atOnce) throws IOException {
        this(victim, tally, requests, atOnce, new HttpCheck(status -> answered(tally, status, Check.ANY)));
    }

    private RequestLoop(Victim victim, Tally tally, Supplier<byte[]> requests, int atOnce, HttpCheck answers)
            throws IOException {
        this.tally = tally;
        this.requests = requests;
        this.atOnce = atOnce;
        this.answers = answers;
        all = Check.both(victim.secretCheck(), answers);
        socket = new Socket(victim.host(), victim.port());
        socket.setSoTimeout(LONGEST_ANSWER_MILLIS);
        in = socket.getInputStream();
    }

    /** Connects, to send one request at a time whose answers are JSON of the attacker's own messages. */
    static RequestLoop ofOwnJson(Victim victim, Tally tally, Supplier<byte[]> requests) throws IOException {
        return new RequestLoop(
                victim,
                tally,
                requests,
                1,
                new HttpCheck(status -> answered(
                        tally, status, HttpCheck.isSuccess(status) ? new OwnJsonCheck() : new RefusalCheck())));
    }

    private static Check answered(Tally tally, int status, Check body) {
        tally.answered(status);
        return body;
    }

    @Override
    public void round() throws IOException {
        for (int i = 0; i < atOnce; i++) {
            byte[] request = requests.get();
            tally.begun();
            socket.getOutputStream().write(request);
        }
        long whole = answers.answers() + atOnce;
        try {
            while (answers.answers() < whole) {
                int count = in.read(some);
                if (count < 0) {
                    throw new EOFException("the server has ended the connection");
                }
                tally.received(count);
                all.accept(ByteBuffer.wrap(some, 0, count));
            }
        } catch (SocketTimeoutException e) {
            tally.unanswered();
            throw e;
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
