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
    private final Form form;
    private final MessageFilter filter;

    /** Writes one message. */
    @FunctionalInterface
    private interface Form {
        void write(FetchedMessage message, OutputStream out) throws IOException;
    }

    private MessagePrinter(OutputStream out, Form form, MessageFilter filter) {
        this.out = out;
        this.form = form;
        this.filter = filter;
    }

    /**
     * Returns a printer in a format.
     *
     * @param offsets whether to print partition and offset before each line of text
     * @param filter selects the messages to print
     */
    static MessagePrinter ofFormat(OutputStream out, StreamFormat format, boolean offsets, MessageFilter filter) {
        Form form = switch (format) {
            case TEXT -> offsets ? MessagePrinter::writeNumberedLine : MessagePrinter::writeLine;
            case NDJSON -> MessagePrinter::writeJsonLine;
            case RAW -> (message, to) -> to.write(message.body());
        };
        return new MessagePrinter(out, form, filter);
    }

    /**
     * Returns a printer by a template.
     *
     * @param filter selects the messages to print
     */
    static MessagePrinter ofTemplate(OutputStream out, MessageTemplate template, MessageFilter filter) {
        return new MessagePrinter(out, template::write, filter);
    }

    private static void writeNumberedLine(FetchedMessage message, OutputStream out) throws IOException {
        out.write((message.partition() + "\t" + message.offset() + "\t").getBytes(StandardCharsets.UTF_8));
        writeLine(message, out);
    }

    private static void writeLine(FetchedMessage message, OutputStream out) throws IOException {
        out.write(message.body());
        out.write('\n');
    }

    private static void writeJsonLine(FetchedMessage message, OutputStream out) throws IOException {
        out.write(JsonLines.write(message.partition(), message));
        out.write('\n');
    }

    /** Returns whether the printer may skip messages. */
    public boolean isFiltering() {
        return filter.isGiven();
    }

    /** Returns whether a message is not skipped. */
    public boolean isWanted(FetchedMessage message) {
        return filter.passes(message);
    }

    /**
     * Prints a message; it is written with the next flush at the latest.
     *
     * @return false: it was skipped
     */
    public boolean print(FetchedMessage message) throws IOException {
        if (!filter.passes(message)) {
            return false;
        }
        form.write(message, out);
        return true;
    }

    /** Writes the printed messages. */
    public void flush() throws IOException {
        out.flush();
    }
}
