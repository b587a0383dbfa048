// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.completion;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * The values that may stand in one place, as scripts write them: words with a bar between them, one of the kinds of
 * names that servers are asked for, {@code files}, or {@code -} where nothing can be offered. Immutable.
 */
record Candidates(String text) {
    static final Candidates NONE = new Candidates("-");
    static final String FILES = "files";

    private static final Pattern WORD = Pattern.compile("[a-z][a-z0-9-]*");

    /** Returns the candidates for an option or a parameter. */
    static Candidates of(ArgSpec argument) {
        Class<?> type = argument.auxiliaryTypes()[0];
        String label = argument.paramLabel().replaceAll("[<>]", "");
        if (label.contains("|")) {
            return words(Arrays.stream(label.split("\\|"))
                    .filter(word -> WORD.matcher(word).matches())
                    .toList());
        }
        if (type.isEnum()) {
            return words(
                    Arrays.stream(type.getEnumConstants()).map(String::valueOf).toList());
        }
        return type == Path.class ? new Candidates(FILES) : named(argument, label);
    }

    private static Candidates words(List<String> words) {
        return words.isEmpty() ? NONE : new Candidates(String.join("|", words));
    }

    private static Candidates named(ArgSpec argument, String label) {
        String name = argument instanceof OptionSpec option
                ? option.longestName().substring(2).toUpperCase(Locale.ROOT)
                : label;
        return switch (name) {
            case "TOPIC" -> new Candidates(NameKind.TOPICS.toString());
            case "GROUP" -> new Candidates(NameKind.GROUPS.toString());
            case "USER", "GRANTEE" -> new Candidates(NameKind.USERS.toString());
            case "PROFILE" -> new Candidates(NameKind.PROFILES.toString());
            default -> NONE;
        };
    }
}
