// SPDX-License-Identifier: Apache-2.0
package org.talos.cli;

import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import picocli.CommandLine.Option;

/**
 * The options for the output of a command: text for people, or one JSON document for programs.
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

    /** The form of the output. */
    enum Format {
        TEXT,
        JSON;

        /** Returns the name as users type it, for help and completion. */
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Returns whether the output is JSON. */
    public boolean json() {
        return format == Format.JSON;
    }

    /**
     * Returns whether the output is read by people: then numbers have units, such as {@code 9.31 GiB} and {@code 1d}.
     * Programs that read tables from a pipe get plain numbers.
     */
    public boolean isForPeople(CommandContext context) {
        return context.terminal() && !json();
    }

    /** Returns whether errors are printed with their stack trace. */
    boolean verbose() {
        return verbose;
    }

    /** Prints a result of one line of text, or its document. */
    public void print(CommandContext context, Object document, String text) throws IOException {
        print(context, document, List.of(text));
    }

    /**
     * Prints a result as lines of text, or its document.
     *
     * @param document a record, a map or a JSON tree
     */
    public void print(CommandContext context, Object document, List<String> text) throws IOException {
        if (json()) {
            context.line(Json.line(document));
            return;
        }
        for (String line : text) {
            context.line(line);
        }
    }

    /**
     * Prints the result of a change.
     *
     * @throws CommandException it cannot be printed; the change has been made all the same, which the failure says
     */
    public void printDone(CommandContext context, Object document, List<String> text) throws CommandException {
        try {
            print(context, document, text);
        } catch (IOException e) {
            throw CommandException.done("done, but the result cannot be printed: " + e.getMessage(), e);
        }
    }

    /** Prints the result of a change, as one line of text or as its document. */
    public void printDone(CommandContext context, Object document, String text) throws CommandException {
        printDone(context, document, List.of(text));
    }

    /** Returns whether arguments that could not be parsed ask for JSON. */
    static boolean wantsJson(String... arguments) {
        return WANTS_JSON.matcher(String.join("\n", arguments)).find();
    }
}
