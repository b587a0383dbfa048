// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.command;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import org.talos.client.consumer.FetchedMessage;

/**
 * Writes messages in a format.
 *
 * <p>Confined: the main thread.
 */
final class MessagePrinter {
    private final OutputStream out;
    private final MessageFormat format;
    private final boolean offsets;

    /**
     * A printer.
     *
     * @param offsets whether partition and offset stand before each line of text
     */
    MessagePrinter(OutputStream out, MessageFormat format, boolean offsets) {
        this.out = out;
        this.format = format;
        this.offsets = offsets;
    }

    void print(int partition, FetchedMessage message) throws IOException {
        if (offsets) {
            out.write((partition + "\t" + message.offset() + "\t").getBytes(StandardCharsets.UTF_8));
        }
        out.write(format == MessageFormat.NDJSON ? MessageJson.write(partition, message) : message.body());
        if (format != MessageFormat.RAW) {
            out.write('\n');
        }
    }

    void flush() throws IOException {
        out.flush();
    }
}
