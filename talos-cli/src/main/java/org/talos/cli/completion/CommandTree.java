// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.completion;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** All commands as scripts need them. Immutable. */
final class CommandTree {
    private final List<Node> nodes = new ArrayList<>();
    private final Map<String, Map<String, List<String>>> pathsByOption = new TreeMap<>();

    /**
     * A command. Immutable.
     *
     * @param path the names of the path to the command, separated by blanks; empty for the root
     * @param options long names of all
     * @param valued names of options with a value, long and short
     * @param arguments candidates for each of its parameters in turn
     */
    record Node(
            String path, List<String> commands, List<String> options, List<String> valued, List<String> arguments) {}

    /** An option's values: on these commands, or with no path on all that are not named apart. Immutable. */
    record Values(String option, String path, String candidates) {}

    private CommandTree() {}

    static CommandTree of(CommandLine root) {
        CommandTree tree = new CommandTree();
        tree.add(root, "");
        return tree;
    }

    private void add(CommandLine command, String path) {
        Map<String, CommandLine> below = new LinkedHashMap<>(command.getSubcommands());
        below.values().removeIf(each -> each.getCommandSpec().usageMessage().hidden());
        List<String> options = new ArrayList<>();
        List<String> valued = new ArrayList<>();
        for (OptionSpec option : command.getCommandSpec().options()) {
            if (!option.hidden()) {
                Arrays.stream(option.names())
                        .filter(name -> name.startsWith("--"))
                        .forEach(options::add);
                addValues(option, path, valued);
            }
        }
        List<String> arguments = command.getCommandSpec().positionalParameters().stream()
                .filter(each -> !each.hidden())
                .map(CommandTree::argument)
                .toList();
        nodes.add(new Node(path, List.copyOf(below.keySet()), options, valued, arguments));
        below.forEach((name, each) -> add(each, path.isEmpty() ? name : path + " " + name));
    }

    private static String argument(PositionalParamSpec parameter) {
        return Candidates.of(parameter).text();
    }

    private void addValues(OptionSpec option, String path, List<String> valued) {
        if (option.arity().max() > 0) {
            for (String name : option.names()) {
                valued.add(name);
                pathsByOption
                        .computeIfAbsent(name, each -> new TreeMap<>())
                        .computeIfAbsent(Candidates.of(option).text(), candidates -> new ArrayList<>())
                        .add(path);
            }
        }
    }

    List<Node> nodes() {
        return Collections.unmodifiableList(nodes);
    }

    /** Returns the values of all options: those of single commands before those of all others. */
    List<Values> values() {
        List<Values> values = new ArrayList<>();
        pathsByOption.forEach((option, byCandidates) -> {
            Map<String, List<String>> apart = new HashMap<>(byCandidates);
            String most = Collections.max(
                            byCandidates.entrySet(),
                            Comparator.comparingInt(each -> each.getValue().size()))
                    .getKey();
            apart.remove(most);
            new TreeMap<>(apart)
                    .forEach((candidates, paths) ->
                            paths.forEach(path -> values.add(new Values(option, path, candidates))));
            if (!most.equals(Candidates.NONE.text())) {
                values.add(new Values(option, "", most));
            }
        });
        return values;
    }
}
