// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.message;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.talos.cli.CommandException;
import org.talos.client.consumer.FetchedMessage;

/** A text with fields of messages in it, as {@code kcat -f} has one: {@code "%p %o %k %v\n"}. Immutable. */
final class MessageTemplate {
    private static final Pattern FIELD = Pattern.compile("%(.?)", Pattern.DOTALL);

    private final List<Part> parts;

    /** One part of a message's text. */
    @FunctionalInterface
    private interface Part {
        void write(FetchedMessage message, OutputStream out) throws IOException;
    }

    private MessageTemplate(List<Part> parts) {
        this.parts = parts;
    }

    /**
     * Reads a template.
     *
     * @throws CommandException it has a field or an escape that is unknown
     */
    static MessageTemplate of(String text) throws CommandException {
        List<Part> parts = new ArrayList<>();
        Matcher fields = FIELD.matcher(text);
        int from = 0;
        while (fields.find()) {
            parts.add(plain(text.substring(from, fields.start())));
            parts.add(field(fields.group(1)));
            from = fields.end();
        }
        parts.add(plain(text.substring(from)));
        return new MessageTemplate(List.copyOf(parts));
    }

    private static Part plain(String text) throws CommandException {
        byte[] bytes = Escapes.bytes(text);
        return (message, out) -> out.write(bytes);
    }

    private static Part field(String name) throws CommandException {
        return switch (name) {
            case "v" -> (message, out) -> out.write(message.body());
            case "k" -> text(message -> message.key().orElse(""));
            case "t" -> text(FetchedMessage::topic);
            case "p" -> text(message -> Integer.toString(message.partition()));
            case "o" -> text(message -> Long.toString(message.offset()));
            case "h" -> text(MessageTemplate::headers);
            case "T" -> text(message -> Long.toString(message.appended().toEpochMilli()));
            case "S" -> text(message -> Integer.toString(message.body().length));
            case "%" -> text(message -> "%");
            default ->
                throw CommandException.usage("--template: '%" + name
                        + "' is not a field (expected: %v %k %t %p %o %h %T %S, or %% for a percent sign)");
        };
    }

    private static Part text(Function<FetchedMessage, String> of) {
        return (message, out) -> out.write(of.apply(message).getBytes(StandardCharsets.UTF_8));
    }

    private static String headers(FetchedMessage message) {
        Map<String, String> sorted = new TreeMap<>(message.headers());
        return sorted.entrySet().stream()
                .map(each -> each.getKey() + "=" + each.getValue())
                .collect(Collectors.joining(","));
    }

    void write(FetchedMessage message, OutputStream out) throws IOException {
        for (Part each : parts) {
            each.write(message, out);
        }
    }
}
