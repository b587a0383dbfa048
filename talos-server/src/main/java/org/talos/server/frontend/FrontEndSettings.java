// SPDX-License-Identifier: Apache-2.0
package org.talos.server.frontend;

import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The section of one front end in the configuration: keys and texts, without {@code enabled}. The case of a key does
 * not matter. Every message has name, value, and expected range.
 *
 * <p>Immutable. The text contains no value, because a value may be a secret.
 */
public final class FrontEndSettings {
    private final String section;
    private final SortedMap<String, String> texts = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);

    /** Creates the settings of a front end. */
    public FrontEndSettings(String name, Map<String, String> texts) {
        section = "frontEnds." + name;
        this.texts.putAll(texts);
    }

    /** Returns all texts by key. */
    public SortedMap<String, String> texts() {
        return Collections.unmodifiableSortedMap(texts);
    }

    /**
     * Checks that there are no other keys than these.
     *
     * @throws IllegalArgumentException there is another one
     */
    public void requireOnly(String... known) {
        SortedMap<String, String> rest = new TreeMap<>(texts);
        for (String key : known) {
            rest.remove(key);
        }
        if (!rest.isEmpty()) {
            throw new IllegalArgumentException("unknown key " + section + "." + rest.firstKey());
        }
    }

    /** Returns a text. */
    public String text(String key, String missing) {
        return texts.getOrDefault(key, missing);
    }

    /**
     * Returns a number.
     *
     * @param missing the value of a key that is not given
     * @throws IllegalArgumentException it is not a number from {@code least} to {@code most}
     */
    public int number(String key, int missing, int least, int most) {
        @Nullable String text = texts.get(key);
        try {
            int number = text == null ? missing : Integer.parseInt(text);
            if (number >= least && number <= most) {
                return number;
            }
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(range(key, text, least, most), e);
        }
        throw new IllegalArgumentException(range(key, text, least, most));
    }

    private String range(String key, @Nullable String text, int least, int most) {
        return section + "." + key + ": " + text + " (expected: " + least + ".." + most + ")";
    }

    @Override
    public String toString() {
        return section + texts.keySet();
    }
}
