// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.talos.cli.CommandContext;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/** The root that has only what the arguments name does what the root with everything does. */
@Timeout(30)
class NamedCommandTest {
    private static final CommandContext CONTEXT = new CommandContext(
            Map.of(), InputStream.nullInputStream(), OutputStream.nullOutputStream(), Path.of("none"), false);

    private static final CommandLine WHOLE = Talos.commandLine(CONTEXT); // not for parsing, which leaves values

    private static CommandLine named(String... arguments) {
        return Talos.commandLine(CONTEXT, Map.of(), arguments);
    }

    private static CommandLine last(CommandLine root, List<String> names) {
        CommandLine found = root;
        for (String name : names) {
            found = Objects.requireNonNull(found.getSubcommands().get(name), name);
        }
        return found;
    }

    /** The names that lead to each command below the root. */
    private static Stream<List<String>> paths() {
        List<List<String>> paths = new ArrayList<>();
        WHOLE.getSubcommands().forEach((name, command) -> {
            paths.add(List.of(name));
            command.getSubcommands().keySet().forEach(below -> paths.add(List.of(name, below)));
        });
        return paths.stream();
    }

    @Test
    void subcommandWhoseNameIsNotItsMethodsIsMadeAlone() {
        assertThat(last(named("quota", "take-back"), List.of("quota")).getSubcommands())
                .containsOnlyKeys("take-back");
    }

    @Test
    void onlyTheNamedOnesAreMade() {
        CommandLine root = named("topic", "list");

        assertThat(root.getSubcommands()).containsOnlyKeys("topic");
        assertThat(last(root, List.of("topic")).getSubcommands()).containsOnlyKeys("list");
    }

    @ParameterizedTest
    @ValueSource(strings = {"topic", "topic --help", "topic -V list", "topic nonsense", "topic @file", "topic text"})
    void allSubcommandsAreMadeUnlessOneIsNamed(String line) {
        CommandLine topic = last(named(line.split(" ")), List.of("topic"));

        assertThat(topic.getSubcommands().keySet())
                .isEqualTo(last(WHOLE, List.of("topic")).getSubcommands().keySet())
                .contains("list", "create");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "help", "help list", "nonsense list", "--help", "completion"})
    void everythingIsMadeUnlessACommandIsNamed(String line) {
        CommandLine root = named(line.isEmpty() ? new String[0] : line.split(" "));

        assertThat(root.getSubcommands())
                .containsKeys("topic", "put", "get", "group", "user", "quota", "help", "completion");
        assertThat(last(root, List.of("topic")).getSubcommands()).containsKeys("list", "create");
    }

    @ParameterizedTest
    @MethodSource("paths")
    void helpIsThatOfTheWholeTree(List<String> path) {
        CommandLine command = last(named(path.toArray(String[]::new)), path);

        assertThat(command.getUsageMessage(Ansi.OFF))
                .contains("talos " + path.get(0))
                .isEqualTo(last(WHOLE, path).getUsageMessage(Ansi.OFF));
    }

    @ParameterizedTest
    @MethodSource("paths")
    void missingAndUnknownArgumentsFailAsWithTheWholeTree(List<String> path) {
        for (List<String> more : List.of(List.<String>of(), List.of("a", "b", "c", "d", "--nonsense"))) {
            String[] line = Stream.concat(path.stream(), more.stream()).toArray(String[]::new);

            assertThat(parsed(named(line), line)).isEqualTo(parsed(Talos.commandLine(CONTEXT), line));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "topic list --endpoint http://a,http://b -o JSON -v",
                "topic list list",
                "topic list --help",
                "topic -h list",
                "topic lst",
                "topic create a --partitions 3 --retention 2d --credentials file",
                "topic create a",
                "topic alter a --retention 2h",
                "topic grant a bob put",
                "topic grant a bob PUT",
                "topic grant a bob everything",
                "group reset a g --to earliest --partition 1 --partition 2 --execute",
                "user add bob --admin --org CL1 --team CI1 --team CI2",
                "user list -ojson",
                "quota set --user a --space 5",
                "quota set --user a --topic b",
                "quota approve CL1 7",
                "quota take-back CL1",
                "topic delete a --yes",
                "put a b c --compression gzip",
                "get a --from earliest"
            })
    void argumentsAreReadAsWithTheWholeTree(String line) {
        String[] arguments = line.split(" ");

        assertThat(parsed(named(arguments), arguments)).isEqualTo(parsed(Talos.commandLine(CONTEXT), arguments));
    }

    /** The commands of a line with the values of their options and parameters, or what is wrong with it. */
    private static List<String> parsed(CommandLine root, String... line) {
        List<String> parsed = new ArrayList<>();
        try {
            for (ParseResult each : root.parseArgs(line).asCommandLineList().stream()
                    .map(CommandLine::getParseResult)
                    .toList()) {
                parsed.add(each.commandSpec().qualifiedName());
                each.commandSpec().args().forEach(arg -> parsed.add(arg + " = " + arg.typedValues()));
            }
        } catch (ParameterException e) {
            parsed.add(e.getCommandLine().getCommandSpec().qualifiedName() + ": " + e.getMessage());
        }
        return parsed;
    }
}
