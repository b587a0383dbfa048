// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.message;

import java.io.OutputStream;
import java.util.Optional;
import org.talos.cli.CommandException;
import picocli.CommandLine.Option;

/**
 * The options for how messages are printed.
 *
 * <p>Confined: the main thread.
 */
public final class MessageForm {
    @Option(
            names = "--format",
            paramLabel = "text|ndjson|raw",
            description = "One message a line, one JSON object a line, or the bytes without anything between them. "
                    + "Default: text; with -o json, ndjson")
    private Optional<StreamFormat> format = Optional.empty();

    @Option(
            names = "--template",
            paramLabel = "TEMPLATE",
            description = "Print this for each message in place of a line: %%v its value, %%k key, %%t topic, "
                    + "%%p partition, %%o offset, %%h headers, %%T when the server took it in (ms since 1970), "
                    + "%%S bytes of the value; \\n, \\t, \\xHH. As '%%k\\t%%v\\n', which put takes with "
                    + "--key-separator '\\t'")
    private Optional<String> template = Optional.empty();

    @Option(names = "--offsets", description = "Print partition and offset before each line of text")
    private boolean offsets;

    /**
     * Returns a printer in this form.
     *
     * @param json whether the output of commands is JSON
     * @param filter selects the messages to print
     * @throws CommandException options exclude each other, or the template is malformed
     */
    public MessagePrinter printer(OutputStream out, boolean json, MessageFilter filter) throws CommandException {
        StreamFormat chosen = format.orElse(json ? StreamFormat.NDJSON : StreamFormat.TEXT);
        if (template.isPresent()) {
            if (format.isPresent() || offsets) {
                throw CommandException.usage("--template excludes --format and --offsets");
            }
            return MessagePrinter.ofTemplate(out, MessageTemplate.of(template.get()), filter);
        }
        if (offsets && chosen != StreamFormat.TEXT) {
            throw CommandException.usage("--offsets is for text");
        }
        return MessagePrinter.ofFormat(out, chosen, offsets, filter);
    }
}
