// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.hostile;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.Locale;
import java.util.function.Supplier;

/**
 * Sends requests on one connection, some at once, and reads their answers.
 *
 * <p>Confined: its thread, but for {@link #close}.
 */
final class RequestLoop implements Attacker {
    private static final int LONGEST_ANSWER_MILLIS = 75_000; // a minute is the longest deadline that one may name
    private static final String LENGTH = "content-length:";

    private final Socket socket;
    private final InputStream in;
    private final Tally tally;
    private final Supplier<byte[]> requests;
    private final int atOnce;

    /**
     * Connects.
     *
     * @param requests whole ones
     * @param atOnce requests that are sent before their answers are read
     */
    RequestLoop(Victim victim, Tally tally, Supplier<byte[]> requests, int atOnce) throws IOException {
        this.tally = tally;
        this.requests = requests;
        this.atOnce = atOnce;
        socket = new Socket(victim.host(), victim.port());
        socket.setSoTimeout(LONGEST_ANSWER_MILLIS);
        in = new BufferedInputStream(socket.getInputStream());
    }

    @Override
    public void round() throws IOException {
        for (int i = 0; i < atOnce; i++) {
            byte[] request = requests.get();
            tally.begun();
            socket.getOutputStream().write(request);
        }
        try {
            for (int i = 0; i < atOnce; i++) {
                tally.answered(answer());
            }
        } catch (SocketTimeoutException e) {
            tally.unanswered();
            throw e;
        }
    }

    /** Reads an answer; returns its status. */
    private int answer() throws IOException {
        String first = line();
        long length = 0;
        for (String line = line(); !line.isEmpty(); line = line()) {
            if (line.toLowerCase(Locale.ROOT).startsWith(LENGTH)) {
                length = Long.parseLong(line.substring(LENGTH.length()).strip());
            }
        }
        in.skipNBytes(length);
        return Integer.parseInt(first.split(" ", 3)[1]);
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                throw new EOFException("the server has ended the connection");
            }
            line.append((char) next);
        }
        return line.toString().strip();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
