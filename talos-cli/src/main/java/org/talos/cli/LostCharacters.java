// SPDX-License-Identifier: Apache-2.0
package org.talos.cli;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;

/**
 * Finds arguments and paths of which the JVM has lost characters. The JVM reads them in the encoding of the locale, and
 * replaces each character that this encoding lacks by U+FFFD. The result would be another message, or the path of
 * another file. The script sets a locale of UTF-8 if the machine has one. Immutable.
 *
 * @param encoding of arguments, environment and names of files, as the JVM calls it
 * @param wholeArguments whether all bytes of the arguments are UTF-8
 */
public record LostCharacters(String encoding, boolean wholeArguments) {
    private static final String REPLACEMENT = "\ufffd";
    private static final String UTF_8 = "UTF-8";
    private static final String VARIABLES = "TALOS_";
    private static final Set<String> DIRECTORIES = Set.of("HOME", "XDG_CONFIG_HOME");
    private static final Path COMMAND_LINE = Path.of("/proc/self/cmdline"); // of Linux

    /**
     * Reports on standard error the characters that this process has lost of its arguments, its environment, or its
     * directories.
     *
     * @return the exit code; empty if nothing is lost
     */
    public static OptionalInt refused(String... arguments) {
        Map<String, String> paths = new TreeMap<>(Map.of(
                "the installation's directory", System.getProperty("talos.home", ""),
                "the working directory", System.getProperty("user.dir", "")));
        System.getenv().forEach((name, value) -> {
            if (name.startsWith(VARIABLES) || DIRECTORIES.contains(name)) {
                paths.put(name, value);
            }
        });
        var lost = new LostCharacters(System.getProperty("sun.jnu.encoding", UTF_8), areArgumentsUtf8());
        Optional<String> first = lost.first(List.of(arguments), paths);
        return first.isEmpty()
                ? OptionalInt.empty()
                : OptionalInt.of(ErrorLine.usage(Commands.standardError(), first.get(), lost.advice(), arguments));
    }

    private static boolean areArgumentsUtf8() {
        try {
            StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(Files.readAllBytes(COMMAND_LINE)));
            return true;
        } catch (CharacterCodingException e) {
            return false;
        } catch (IOException e) {
            return true; // a system that does not tell
        }
    }

    private boolean isUtf8() {
        return encoding.equalsIgnoreCase(UTF_8);
    }

    /**
     * Returns the sentence for the first text that has lost characters; empty if there is none.
     *
     * @param paths by name; the JVM has correct ones where its encoding is UTF-8
     */
    Optional<String> first(List<String> arguments, Map<String, String> paths) {
        if (isUtf8() && wholeArguments) {
            return Optional.empty(); // a user who types U+FFFD means it
        }
        for (int i = 0; i < arguments.size(); i++) {
            if (arguments.get(i).contains(REPLACEMENT)) {
                return Optional.of(sentence("argument " + (i + 1)));
            }
        }
        return paths.entrySet().stream()
                .filter(each -> !isUtf8() && each.getValue().contains(REPLACEMENT))
                .findFirst()
                .map(each -> sentence(each.getKey()));
    }

    private String sentence(String what) {
        return isUtf8()
                ? what + " is not UTF-8"
                : what + " has characters that the encoding of this locale lacks, " + encoding;
    }

    private String advice() {
        return isUtf8()
                ? "Next: convert it, as by iconv; lines of standard input and --file take any bytes."
                : "Next: set a locale of UTF-8 that this machine has, as LC_ALL=C.UTF-8; `locale -a` lists them.";
    }
}
