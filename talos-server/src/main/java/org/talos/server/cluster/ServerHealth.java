// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster;

import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * How a server is, as it tells the others. Immutable.
 *
 * @param failing why it is not ready, by check; empty if it is
 * @param opening number of partitions that it opens, including takeovers
 */
public record ServerHealth(SortedMap<String, String> failing, long opening) {
    /** The most characters of a reason, which may quote the whole answer of a store. */
    private static final int MOST_CHARACTERS = 300;

    /** Copies the reasons, each up to a length that others can keep. */
    public ServerHealth {
        SortedMap<String, String> copy = new TreeMap<>();
        failing.forEach((check, why) -> copy.put(check, shortened(why)));
        failing = Collections.unmodifiableSortedMap(copy);
    }

    /** Never within a character of two units: half of one would come back from UTF-8 as another. */
    private static String shortened(String why) {
        return why.codePointCount(0, why.length()) <= MOST_CHARACTERS
                ? why
                : why.substring(0, why.offsetByCodePoints(0, MOST_CHARACTERS));
    }

    /** The health by reasons in any order. */
    public static ServerHealth of(Map<String, String> failing, long opening) {
        return new ServerHealth(new TreeMap<>(failing), opening);
    }
}
