// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.list;

import java.util.List;
import java.util.Locale;

/**
 * Selects rows of a list by their names. Immutable.
 *
 * @param words in lower case; each must occur in a row's texts, in any case
 * @param prefix with which the row's name begins, in the same case
 */
public record NameFilter(List<String> words, String prefix) {
    public NameFilter {
        words = List.copyOf(words);
    }

    /**
     * Returns the filter for words.
     *
     * @param contains words, separated by spaces
     */
    public static NameFilter of(String contains, String prefix) {
        String text = contains.strip().toLowerCase(Locale.ROOT);
        return new NameFilter(text.isEmpty() ? List.of() : List.of(text.split("\\s+")), prefix);
    }

    /**
     * Returns whether a row matches.
     *
     * @param other another text of the row in which words may occur
     */
    public boolean matches(String name, String other) {
        if (!name.startsWith(prefix)) {
            return false;
        }
        if (words.isEmpty()) {
            return true;
        }
        String text = (name + ' ' + other).toLowerCase(Locale.ROOT);
        return words.stream().allMatch(text::contains);
    }
}
