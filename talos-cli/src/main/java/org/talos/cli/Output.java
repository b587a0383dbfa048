// SPDX-License-Identifier: Apache-2.0
package org.talos.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import picocli.CommandLine.Option;

/**
 * The options that say how a command tells what it found: text for people, or one JSON document for programs.
 *
 * <p>Confined: the main thread.
 */
public final class Output {
    private static final Pattern WANTS_JSON = Pattern.compile("(?im)^(-o|--output)[=\\n]?json$");

    @Option(
            names = {"-o", "--output"},
            paramLabel = "text|json",
            description = "json: one document, and errors as one object on standard error. Default: text")
    private Format format = Format.TEXT;

    @Option(
            names = {"-v", "--verbose"},
            description = "Show the stack trace of an error")
    private boolean verbose;

    /** Who reads it. */
    enum Format {
        TEXT,
        JSON;

        /** As it is typed, for help and completion. */
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Whether a program reads it. */
    public boolean json() {
        return format == Format.JSON;
    }

    /** Whether errors come with their stack trace. */
    boolean verbose() {
        return verbose;
    }

    /** Prints a result of one line in the form that was asked for. */
    public void print(Surroundings surroundings, JsonNode document, String text) throws IOException {
        print(surroundings, document, List.of(text));
    }

    /** Prints a result in the form that was asked for. */
    public void print(Surroundings surroundings, JsonNode document, List<String> text) throws IOException {
        if (json()) {
            surroundings.line(document.toString());
            return;
        }
        for (String line : text) {
            surroundings.line(line);
        }
    }

    /** Whether arguments ask for JSON that are wrong in another way, so that nobody has parsed them to their end. */
    static boolean wantsJson(String... arguments) {
        return WANTS_JSON.matcher(String.join("\n", arguments)).find();
    }
}
