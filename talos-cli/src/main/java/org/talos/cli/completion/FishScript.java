// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.completion;

import java.util.ArrayList;
import java.util.List;

/** The script for fish. Immutable. */
final class FishScript {
    private static final String HEAD = """
            # Completion of talos for fish: talos completion fish | source
            function __talos_spec
                set -g __talos_subs; set -g __talos_opts; set -g __talos_valued; set -g __talos_args
                switch "$argv[1]"
            """;
    private static final String BETWEEN = """
                end
            end
            function __talos_values
                switch "$argv[1]"
            """;
    private static final String TAIL = """
                end
                echo -
            end
            function __talos_offer
                switch "$argv[1]"
                    case files
                        __fish_complete_path (commandline -ct)
                    case topics groups users profiles
                        set -lx TALOS_COMPLETING 1
                        $__talos_program completion --names $argv[1] $__talos_found[1] $__talos_connection 2> /dev/null
                    case -
                    case '*'
                        string split '|' -- $argv[1]
                end
            end
            function __talos_complete
                set -l words (commandline -opc)
                set -l current (commandline -ct)
                set -l path ''
                set -l option ''
                set -g __talos_program $words[1]
                set -g __talos_found
                set -g __talos_connection
                __talos_spec ''
                for word in $words[2..-1]
                    if test -n "$option"
                        if contains -- $option --endpoint --credentials --profile
                            set -a __talos_connection $option $word
                        end
                        set option ''
                    else if contains -- $word $__talos_subs
                        set path (string trim "$path $word")
                        set __talos_found
                        __talos_spec $path
                    else if string match -q -- '-*' $word
                        if contains -- $word $__talos_valued
                            set option $word
                        end
                    else
                        set -a __talos_found $word
                    end
                end
                if test -n "$option"
                    __talos_offer (__talos_values "$path $option")
                else if string match -q -- '-*' "$current"
                    string join \\n -- $__talos_opts
                else if test -n "$__talos_subs" -a (count $__talos_found) = 0
                    string join \\n -- $__talos_subs
                else
                    set -l place (math (count $__talos_found) + 1)
                    if test $place -le (count $__talos_args)
                        __talos_offer $__talos_args[$place]
                    end
                end
            end
            complete -c talos -f -a '(__talos_complete)'
            """;

    private FishScript() {}

    static List<String> lines(CommandTree tree) {
        List<String> lines = new ArrayList<>(HEAD.lines().toList());
        for (CommandTree.Node node : tree.nodes()) {
            lines.add("        case '" + node.path() + "'");
            lines.add("            set __talos_subs " + String.join(" ", node.commands()));
            lines.add("            set __talos_opts " + String.join(" ", node.options()));
            lines.add("            set __talos_valued " + String.join(" ", node.valued()));
            lines.add("            set __talos_args " + quoted(node.arguments()));
        }
        lines.addAll(BETWEEN.lines().toList());
        for (CommandTree.Values each : tree.values()) {
            lines.add("        case '" + (each.path().isEmpty() ? "*" : each.path()) + " " + each.option() + "'");
            lines.add("            echo '" + each.candidates() + "'");
            lines.add("            return");
        }
        lines.addAll(TAIL.lines().toList());
        return lines;
    }

    private static String quoted(List<String> words) {
        return words.isEmpty() ? "" : "'" + String.join("' '", words) + "'";
    }
}
