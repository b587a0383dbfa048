// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.top;

/** The command of a key. */
enum Key {
    QUIT,
    TOPICS,
    GROUPS,
    NEXT_VIEW,
    SORT,
    REVERSE,
    UP,
    DOWN,
    PAGE_UP,
    PAGE_DOWN,
    PAUSE,
    HELP,
    /** No key, or one without a meaning here. */
    NONE;

    /** Returns the meaning of a letter. */
    static Key of(int letter) {
        return switch (letter) {
            case 'q', 'Q', 3, 4 -> QUIT; // Ctrl-C and Ctrl-D, if the terminal does not turn them into signals
            case 't' -> TOPICS;
            case 'g' -> GROUPS;
            case '\t' -> NEXT_VIEW;
            case 's' -> SORT;
            case 'r' -> REVERSE;
            case 'k' -> UP;
            case 'j' -> DOWN;
            case 'p', ' ' -> PAUSE;
            case '?', 'h' -> HELP;
            default -> NONE;
        };
    }

    /** Returns the meaning of the characters behind {@code ESC [}. */
    static Key ofSequence(String sequence) {
        return switch (sequence) {
            case "A" -> UP;
            case "B" -> DOWN;
            case "5~" -> PAGE_UP;
            case "6~" -> PAGE_DOWN;
            default -> NONE;
        };
    }
}
