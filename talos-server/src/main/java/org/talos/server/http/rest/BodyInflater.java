// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest;

import com.github.luben.zstd.ZstdInputStream;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Locale;
import java.util.function.LongPredicate;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;
import org.talos.common.message.CompressionLibraries;
import org.talos.server.http.rest.json.ProblemException;
import org.talos.thrift.MessageCompressionType;

/**
 * Decodes a body by its {@code Content-Encoding}. No allocation follows a size that a client claims: the bytes are
 * counted as they are decoded, and memory is reserved before it is allocated.
 *
 * <p>Jetty's {@code CompressionHandler} has no limit of ratio or size.
 *
 * <p>Confined: one body.
 */
final class BodyInflater {
    private static final int RATIO = 100;
    private static final long FREE_BYTES = 1 << 20;
    private static final int FIRST_STEP_BYTES = 16 << 10;
    /** Windows of 8 MiB: as much as levels up to 19 use. */
    private static final int LARGEST_WINDOW_LOG = 23;

    private final long limit;
    private final int room;
    private final LongPredicate reserve;
    private byte[] plain;
    private int length;

    /**
     * An inflater that has not begun.
     *
     * @param limit of the bytes that come out
     * @param room bytes left free on both sides of them
     * @param reserve reserves so many further bytes of memory, or returns false
     */
    BodyInflater(long limit, int room, LongPredicate reserve) {
        this.limit = limit;
        this.room = room;
        this.reserve = reserve;
        plain = new byte[0];
    }

    /** Returns whether it is an encoding that can be decoded here; a list of two is none. */
    static boolean knows(String encoding) {
        return switch (encoding.strip().toLowerCase(Locale.ROOT)) {
            case "gzip", "x-gzip" -> true;
            case "zstd" -> CompressionLibraries.canUse(MessageCompressionType.ZSTD);
            default -> false;
        };
    }

    /**
     * Decodes the body.
     *
     * @throws ProblemException 400: not of that encoding; 413: too large, or far larger than it came; 503: no memory
     */
    ByteBuffer inflate(String encoding, ByteBuffer body) {
        long allowed = Math.min(limit, Math.max(FREE_BYTES, (long) body.remaining() * RATIO));
        try (InputStream in = open(encoding, body)) {
            while (true) {
                if (length == plain.length - 2 * room || plain.length == 0) {
                    grow(allowed);
                }
                int read = in.read(plain, room + length, plain.length - 2 * room - length);
                if (read < 0) {
                    if (in instanceof Gzip gzip) {
                        gzip.requireEnd();
                    }
                    return ByteBuffer.wrap(plain, room, length);
                }
                length += read;
                if (length > allowed) {
                    throw tooLarge(allowed);
                }
            }
        } catch (IOException e) {
            throw ProblemException.badRequest("the body is not " + encoding + ": " + reason(e));
        } catch (StackOverflowError e) { // the JDK calls itself for each empty member
            throw ProblemException.badRequest("the body is " + encoding + " of very many empty members");
        }
    }

    /** The JDK has no words for an end that comes too soon. */
    private static String reason(IOException e) {
        return e instanceof EOFException || e.getMessage() == null ? "it ends too soon" : e.getMessage();
    }

    private static InputStream open(String encoding, ByteBuffer body) throws IOException {
        InputStream in = new ByteArrayInputStream(body.array(), body.arrayOffset() + body.position(), body.remaining());
        return encoding.strip().toLowerCase(Locale.ROOT).equals("zstd")
                ? new ZstdInputStream(in).setLongMax(LARGEST_WINDOW_LOG)
                : new Gzip(in, body);
    }

    /** A body of gzip, which the JDK takes for ended where something else than a further member follows. Confined. */
    private static final class Gzip extends GZIPInputStream {
        private static final int TRAILER_BYTES = 8;

        private final ByteBuffer body;

        /** @param body of which {@code in} reads the array */
        Gzip(InputStream in, ByteBuffer body) throws IOException {
            super(in, 1); // no buffer of its own
            this.body = body;
        }

        /**
         * Uses the body's array as the buffer: nothing is copied, and the inflater reports the unused rest at the end.
         */
        @Override
        protected void fill() throws IOException {
            int left = in.available();
            if (left == 0) {
                throw new EOFException();
            }
            buf = body.array();
            len = body.arrayOffset() + body.limit();
            inf.setInput(buf, len - left, left);
            in.skipNBytes(left);
        }

        void requireEnd() throws IOException {
            if (inf.getRemaining() != TRAILER_BYTES) {
                throw new ZipException("something follows the compressed bytes");
            }
        }
    }

    /** One byte more than is allowed shows that there are too many. */
    private void grow(long allowed) {
        long size = Math.min(allowed + 1, Math.max(FIRST_STEP_BYTES, 2L * length));
        long whole = size + 2L * room;
        if (!reserve.test(whole)) {
            throw ProblemException.refused(503, "no-memory", "the server has no memory for the body now");
        }
        plain = Arrays.copyOf(plain, (int) whole);
    }

    private ProblemException tooLarge(long allowed) {
        return ProblemException.refused(
                413,
                "request-too-large",
                allowed == limit
                        ? "the body holds more than " + limit + " bytes"
                        : "the body holds more than " + RATIO + " times its bytes");
    }
}
