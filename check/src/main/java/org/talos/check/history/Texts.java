// SPDX-License-Identifier: Apache-2.0
package org.talos.check.history;

import java.util.HashMap;
import java.util.Map;

/**
 * Interns the strings of a history: a value is sent once and read by many, and a history of half an hour has millions
 * of entries.
 *
 * <p>Confined: the thread that fills the history.
 */
final class Texts {
    private final Map<String, String> known = new HashMap<>();

    private String once(String text) {
        String first = known.putIfAbsent(text, text);
        return first == null ? text : first;
    }

    /** Returns an equal operation whose entries share their strings with those of others. */
    Operation once(Operation operation) {
        return operation.with(operation.entries().stream()
                .map(entry -> new Entry(once(entry.key()), entry.offset(), once(entry.value())))
                .toList());
    }
}
