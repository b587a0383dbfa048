// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.completion;

import java.util.ArrayList;
import java.util.List;

/**
 * The script for bash, and for zsh by its support of bash's. Words are split at blanks from the line itself, as bash
 * would split a URL at its colons. {@code path} and {@code words} are zsh's own, and no names here. Immutable.
 */
final class BashScript {
    private static final String HEAD = """
            # Completion of talos for bash and zsh: source <(talos completion bash)
            _talos_spec() {
                subs= opts= valued= args=
                case "$1" in
            """;
    private static final String BETWEEN = """
                esac
            }
            _talos_values() {
                candidates=-
                case "$1" in
            """;
    private static final String TAIL = """
                esac
            }
            _talos_offer() {
                local each list=$1
                case $list in
                    files) return ;;
                    topics | groups | users | profiles)
                        list=$(TALOS_COMPLETING=1 "${typed[0]}" completion --names "$list" \\
                            ${found[0]:+"${found[0]}"} ${connection[@]+"${connection[@]}"} 2> /dev/null) ;;
                    -) list= ;;
                    *) list=${list//|/ } ;;
                esac
                type compopt > /dev/null 2>&1 && compopt +o default 2> /dev/null
                for each in $list; do
                    case $each in "$current"*) COMPREPLY+=("$each") ;; esac
                done
                return 0
            }
            _talos() {
                if [ -n "${ZSH_VERSION-}" ]; then emulate -L ksh; setopt noglob; fi
                local place= subs opts valued args candidates option= current word i
                local -a typed found connection
                COMPREPLY=() found=() connection=()
                # Patterns stay as they are: --grep .* would become the names of files.
                if [ -n "${ZSH_VERSION-}" ]; then typed=(${COMP_LINE:0:$COMP_POINT})
                else read -r -a typed <<< "${COMP_LINE:0:$COMP_POINT}"; fi
                case ${COMP_LINE:0:$COMP_POINT} in *[[:blank:]]) typed+=('') ;; esac
                current=${typed[${#typed[@]}-1]}
                _talos_spec ''
                for ((i = 1; i < ${#typed[@]} - 1; i++)); do
                    word=${typed[i]}
                    if [ -n "$option" ]; then
                        case $option in --endpoint | --credentials | --profile) connection+=("$option" "$word") ;; esac
                        option=
                        continue
                    fi
                    case " $subs " in *" $word "*)
                        place=${place:+$place }$word found=()
                        _talos_spec "$place"
                        continue ;;
                    esac
                    case $word in
                        -*) case " $valued " in *" $word "*) option=$word ;; esac ;;
                        *) found+=("$word") ;;
                    esac
                done
                if [ -n "$option" ]; then
                    _talos_values "$place $option"
                    _talos_offer "$candidates"
                    return
                fi
                case $current in -*) _talos_offer "${opts// /|}"; return ;; esac
                if [ -n "$subs" ] && [ ${#found[@]} = 0 ]; then
                    _talos_offer "${subs// /|}"
                    return
                fi
                i=0
                for word in $args; do
                    if [ $i = ${#found[@]} ]; then _talos_offer "$word"; return; fi
                    i=$((i + 1))
                done
            }
            complete -o default -F _talos talos
            """;

    private BashScript() {}

    /** Returns the lines for bash. */
    static List<String> lines(CommandTree tree) {
        List<String> lines = new ArrayList<>(HEAD.lines().toList());
        for (CommandTree.Node node : tree.nodes()) {
            lines.add("        '" + node.path() + "') subs='" + String.join(" ", node.commands()) + "' opts='"
                    + String.join(" ", node.options()) + "' valued='" + String.join(" ", node.valued()) + "' args='"
                    + String.join(" ", node.arguments()) + "' ;;");
        }
        lines.addAll(BETWEEN.lines().toList());
        for (CommandTree.Values each : tree.values()) {
            String pattern =
                    each.path().isEmpty() ? "*' " + each.option() + "'" : "'" + each.path() + " " + each.option() + "'";
            lines.add("        " + pattern + ") candidates='" + each.candidates() + "' ;;");
        }
        lines.addAll(TAIL.lines().toList());
        return lines;
    }

    /** Returns the lines for zsh, which begin by enabling completions of bash. */
    static List<String> zshLines(CommandTree tree) {
        List<String> lines = new ArrayList<>();
        // -i: nothing is loaded from directories that others may write to.
        lines.add("(( $+functions[compdef] )) || { autoload -U compinit && compinit -i }");
        lines.add("autoload -U +X bashcompinit && bashcompinit");
        lines.addAll(lines(tree));
        return lines;
    }
}
