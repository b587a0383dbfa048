// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.message;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import org.talos.client.consumer.FetchedMessage;

/**
 * Prints messages in a format.
 *
 * <p>Confined: the main thread.
 */
public final class MessagePrinter {
    private final OutputStream out;
    private final StreamFormat format;
    private final boolean offsets;
    private final MessageFilter filter;

    /**
     * A printer to an output.
     *
     * @param offsets whether to print partition and offset before each line of text
     * @param filter what is printed, and what is passed over
     */
    public MessagePrinter(OutputStream out, StreamFormat format, boolean offsets, MessageFilter filter) {
        this.out = out;
        this.format = format;
        this.offsets = offsets;
        this.filter = filter;
    }

    /** Whether it may pass over messages. */
    public boolean isFiltering() {
        return filter.isGiven();
    }

    /**
     * Prints a message; it is written with the next flush at the latest.
     *
     * @return false: it was passed over
     */
    public boolean print(int partition, FetchedMessage message) throws IOException {
        if (!filter.passes(message)) {
            return false;
        }
        if (offsets) {
            out.write((partition + "\t" + message.offset() + "\t").getBytes(StandardCharsets.UTF_8));
        }
        out.write(format == StreamFormat.NDJSON ? JsonLines.write(partition, message) : message.body());
        if (format != StreamFormat.RAW) {
            out.write('\n');
        }
        return true;
    }

    /** Writes what was printed. */
    public void flush() throws IOException {
        out.flush();
    }
}
