// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.hostile.wire;

import java.nio.ByteBuffer;
import java.util.Locale;
import java.util.function.IntFunction;
import java.util.function.Supplier;

/**
 * Accepts answers of HTTP/1.1, whose bodies have checks of their own. Bytes after a 101 are a body without an end.
 *
 * <p>Confined: its connection.
 */
public final class HttpCheck implements Check {
    private static final int LONGEST_LINE = 16 << 10;
    private static final int LONGEST_SHOWN = 80;
    private static final int SWITCHING = 101;
    private static final String LENGTH = "content-length:";
    private static final String CODING = "transfer-encoding:";

    private final IntFunction<Check> bodies;
    private final StringBuilder line = new StringBuilder();
    private State state = State.STATUS;
    private Check body = ANY;
    private int status;
    private boolean chunked;
    private long left; // bytes of the body or the chunk
    private long answers;

    private enum State {
        STATUS,
        HEADER,
        BODY,
        CHUNK_SIZE,
        CHUNK_END,
        TRAILER
    }

    /**
     * Creates the check of one connection.
     *
     * @param bodies returns the check of the next body for its status
     */
    public HttpCheck(IntFunction<Check> bodies) {
        this.bodies = bodies;
    }

    /** Returns a check that accepts bodies of successes as given, and refusals. */
    public static HttpCheck of(Supplier<Check> successes) {
        return new HttpCheck(status -> isSuccess(status) ? successes.get() : new RefusalCheck());
    }

    /** Returns whether a status says that the request was carried out. */
    public static boolean isSuccess(int status) {
        return status / 100 == 2 || status == SWITCHING;
    }

    /** Returns the status of the last answer whose head was received, or 0. */
    public int status() {
        return status;
    }

    /** Returns the number of whole answers. */
    public long answers() {
        return answers;
    }

    @Override
    public void accept(ByteBuffer bytes) throws ForeignBytesException {
        while (bytes.hasRemaining()) {
            if (state == State.BODY) {
                body(bytes);
            } else if (isLineWhole(bytes)) {
                String whole = line.toString().strip();
                line.setLength(0);
                line(whole, bytes);
            }
        }
    }

    private void body(ByteBuffer bytes) throws ForeignBytesException {
        int count = (int) Math.min(left, bytes.remaining());
        ByteBuffer piece = bytes.slice(bytes.position(), count);
        bytes.position(bytes.position() + count);
        left -= count;
        body.accept(piece);
        if (left == 0) {
            if (chunked) {
                state = State.CHUNK_END;
            } else {
                end();
            }
        }
    }

    private void end() {
        state = State.STATUS;
        answers++;
    }

    private boolean isLineWhole(ByteBuffer bytes) throws ForeignBytesException {
        byte next = bytes.get();
        if (next == '\n') {
            return true;
        }
        if (line.length() == LONGEST_LINE || (next < ' ' && next != '\r' && next != '\t')) {
            throw new ForeignBytesException("no answer of HTTP/1.1", bytes.position(bytes.position() - 1));
        }
        line.append((char) next);
        return false;
    }

    private void line(String whole, ByteBuffer bytes) throws ForeignBytesException {
        switch (state) {
            case STATUS -> status(whole, bytes);
            case HEADER -> header(whole.toLowerCase(Locale.ROOT));
            case CHUNK_SIZE -> chunk(whole, bytes);
            case CHUNK_END -> state = State.CHUNK_SIZE;
            case TRAILER -> {
                if (whole.isEmpty()) {
                    end();
                }
            }
            case BODY -> throw new IllegalStateException("a body has no lines");
        }
    }

    private void status(String whole, ByteBuffer bytes) throws ForeignBytesException {
        if (!whole.matches("HTTP/1\\.1 [1-5][0-9][0-9]( .*)?")) {
            throw new ForeignBytesException(
                    "no status of HTTP/1.1: " + whole.substring(0, Math.min(whole.length(), LONGEST_SHOWN)), bytes);
        }
        status = Integer.parseInt(whole.substring("HTTP/1.1 ".length(), "HTTP/1.1 200".length()));
        state = State.HEADER;
        chunked = false;
        left = status == SWITCHING ? Long.MAX_VALUE : 0;
    }

    private void header(String header) {
        if (header.startsWith(LENGTH)) {
            left = Long.parseLong(header.substring(LENGTH.length()).strip());
        } else if (header.startsWith(CODING)) {
            chunked = true;
        } else if (header.isEmpty()) {
            body = bodies.apply(status);
            if (chunked) {
                state = State.CHUNK_SIZE;
            } else if (left > 0) {
                state = State.BODY;
            } else {
                end();
            }
        }
    }

    private void chunk(String size, ByteBuffer bytes) throws ForeignBytesException {
        if (!size.matches("[0-9a-fA-F]{1,8}")) {
            throw new ForeignBytesException("no size of a chunk", bytes);
        }
        left = Long.parseLong(size, 16);
        state = left > 0 ? State.BODY : State.TRAILER;
    }
}
