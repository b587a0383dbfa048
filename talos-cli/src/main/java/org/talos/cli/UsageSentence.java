// SPDX-License-Identifier: Apache-2.0
package org.talos.cli;

import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Explains wrong arguments, with the names from the help and the one that was probably meant. Immutable. */
final class UsageSentence {
    /** The most wrong letters of a typing error; fewer in short names. */
    private static final int MOST_SLIPS = 2;

    private static final int MOST_SHOWN_CHARACTERS = 60;

    private UsageSentence() {}

    static String of(ParameterException e) {
        if (e instanceof UnmatchedArgumentException unmatched
                && !unmatched.getUnmatched().isEmpty()) {
            return unmatched(unmatched, shown(unmatched.getUnmatched().get(0)));
        }
        CommandLine command = e.getCommandLine();
        if (e.getArgSpec() == null && isSubcommandMissing(e)) {
            return "a command is missing after '" + command.getCommandSpec().qualifiedName() + "' (expected: "
                    + String.join(", ", visible(command)) + ")";
        }
        @Nullable ArgSpec argument = e.getArgSpec();
        if (argument != null && e.getValue() != null && argument.auxiliaryTypes()[0].isEnum()) {
            return name(argument) + ": '" + shown(e.getValue()) + "' (expected: " + choices(argument) + ")";
        }
        return String.valueOf(e.getMessage())
                .replaceAll("is not an? (int|long|Integer|Long)\\b", "is not a whole number");
    }

    private static boolean isSubcommandMissing(ParameterException e) {
        return String.valueOf(e.getMessage()).startsWith("Missing required subcommand");
    }

    private static String unmatched(UnmatchedArgumentException e, String first) {
        CommandLine command = e.getCommandLine();
        Map<String, CommandLine> commands = command.getSubcommands();
        boolean isOption = e.isUnknownOption();
        if (!isOption && commands.isEmpty()) {
            return "'" + first + "' is one argument too many for '"
                    + command.getCommandSpec().qualifiedName() + "'";
        }
        Collection<String> names = isOption ? options(command) : visible(command);
        String meant = OtherWords.meant(first, names)
                .or(() -> nearest(first, names))
                .map(name -> "; did you mean " + name + "?")
                .orElse("");
        String where = command.getParent() == null && !isOption
                ? ""
                : " of '" + command.getCommandSpec().qualifiedName() + "'";
        return "'" + first + "' is not " + (isOption ? "an option" : "a command") + where + meant;
    }

    private static Optional<String> nearest(String first, Collection<String> names) {
        return names.stream()
                .filter(name -> slips(name, first) <= Math.min(MOST_SLIPS, name.length() / 2))
                .min(Comparator.comparingInt(name -> slips(name, first)));
    }

    private static List<String> options(CommandLine command) {
        return command.getCommandSpec().options().stream()
                .filter(option -> !option.hidden())
                .flatMap(option -> Arrays.stream(option.names()))
                .filter(name -> name.startsWith("--"))
                .toList();
    }

    private static List<String> visible(CommandLine command) {
        return command.getSubcommands().entrySet().stream()
                .filter(each -> !each.getValue().getCommandSpec().usageMessage().hidden())
                .map(Map.Entry::getKey)
                .toList();
    }

    private static String name(ArgSpec argument) {
        return argument instanceof OptionSpec option ? option.longestName() : argument.paramLabel();
    }

    private static String choices(ArgSpec argument) {
        return Arrays.stream(argument.auxiliaryTypes()[0].getEnumConstants())
                .map(String::valueOf)
                .collect(Collectors.joining(", "));
    }

    /** Returns the user's input, cut so that the sentence stays readable. */
    private static String shown(String text) {
        String plain = text.replaceAll("\\p{Cntrl}", "?");
        return plain.length() > MOST_SHOWN_CHARACTERS ? plain.substring(0, MOST_SHOWN_CHARACTERS) + "…" : plain;
    }

    /** Returns the number of letters to insert, delete, change, or swap with the next to get one text from another. */
    static int slips(String one, String other) {
        int[][] least = new int[one.length() + 1][other.length() + 1];
        for (int i = 0; i <= one.length(); i++) {
            for (int j = 0; j <= other.length(); j++) {
                least[i][j] = Math.min(i, j) == 0 ? Math.max(i, j) : step(least, one, other, i, j);
            }
        }
        return least[one.length()][other.length()];
    }

    private static int step(int[][] least, String one, String other, int i, int j) {
        boolean same = one.charAt(i - 1) == other.charAt(j - 1);
        int changed = Math.min(least[i - 1][j - 1] + (same ? 0 : 1), 1 + Math.min(least[i - 1][j], least[i][j - 1]));
        boolean swapped =
                i > 1 && j > 1 && one.charAt(i - 1) == other.charAt(j - 2) && one.charAt(i - 2) == other.charAt(j - 1);
        return swapped ? Math.min(changed, least[i - 2][j - 2] + 1) : changed;
    }
}
