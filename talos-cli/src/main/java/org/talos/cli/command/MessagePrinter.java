// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.command;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import org.talos.client.consumer.FetchedMessage;

/**
 * Prints messages in a format.
 *
 * <p>Confined: the main thread.
 */
final class MessagePrinter {
    private final OutputStream out;
    private final StreamFormat format;
    private final boolean offsets;

    /**
     * A printer to an output.
     *
     * @param offsets whether to print partition and offset before each line of text
     */
    MessagePrinter(OutputStream out, StreamFormat format, boolean offsets) {
        this.out = out;
        this.format = format;
        this.offsets = offsets;
    }

    /** Prints a message; it is written with the next flush at the latest. */
    void print(int partition, FetchedMessage message) throws IOException {
        if (offsets) {
            out.write((partition + "\t" + message.offset() + "\t").getBytes(StandardCharsets.UTF_8));
        }
        out.write(format == StreamFormat.NDJSON ? JsonLines.write(partition, message) : message.body());
        if (format != StreamFormat.RAW) {
            out.write('\n');
        }
    }

    void flush() throws IOException {
        out.flush();
    }
}
