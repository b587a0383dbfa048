// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.client;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Base64;
import java.util.Optional;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import org.HdrHistogram.Histogram;

/**
 * The figures of putting or getting all messages. Immutable, but for the histogram, which belongs to the caller.
 *
 * @param operation {@link #PUT} or {@link #GET}
 * @param latency nanoseconds for each message: of a put from the call to the acknowledgement, of a get those of the
 *     poll that brought it
 * @param took until the last message was acknowledged, or got
 * @param clientCpu processor time of the client's process
 * @param serverCpu processor time of the server's
 */
public record LoadPhase(String operation, Histogram latency, Duration took, Duration clientCpu, Duration serverCpu) {
    /** Putting. */
    public static final String PUT = "put";

    /** Getting. */
    public static final String GET = "get";

    private static final String BEGIN = "talos-bench-phase";
    private static final int WORDS = 6;

    /** For the standard output of the client's process. */
    public String line() {
        ByteBuffer bytes = ByteBuffer.allocate(latency.getNeededByteBufferCapacity());
        int length = latency.encodeIntoCompressedByteBuffer(bytes, Deflater.BEST_SPEED);
        byte[] encoded = new byte[length];
        bytes.flip().get(encoded);
        return String.join(
                " ",
                BEGIN,
                operation,
                Base64.getEncoder().encodeToString(encoded),
                took.toString(),
                clientCpu.toString(),
                serverCpu.toString());
    }

    /**
     * Reads a line of that output.
     *
     * @return empty for another line
     */
    public static Optional<LoadPhase> of(String line) throws DataFormatException {
        String[] words = line.split(" ", WORDS);
        if (words.length < WORDS || !words[0].equals(BEGIN)) {
            return Optional.empty();
        }
        ByteBuffer bytes = ByteBuffer.wrap(Base64.getDecoder().decode(words[2]));
        return Optional.of(new LoadPhase(
                words[1],
                Histogram.decodeFromCompressedByteBuffer(bytes, 0),
                Duration.parse(words[3]),
                Duration.parse(words[4]),
                Duration.parse(words[5])));
    }
}
