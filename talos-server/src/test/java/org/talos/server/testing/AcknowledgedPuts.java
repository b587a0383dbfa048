// SPDX-License-Identifier: Apache-2.0
package org.talos.server.testing;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Compares the puts of one partition that producers know with the partition after a crash: every acknowledged value is
 * there, at the offset where it was seen before, once, and in the order in which it was put.
 *
 * <p>Confined: the test.
 */
public final class AcknowledgedPuts {
    private final List<String> acknowledged = new ArrayList<>();
    private final List<String> seen = new ArrayList<>();

    /** A put of this value was answered with success, after all acknowledged before it. */
    public void acknowledged(String value) {
        acknowledged.add(value);
    }

    /** Returns the number of acknowledged puts. */
    public int size() {
        return acknowledged.size();
    }

    /**
     * Compares with the partition's messages, in order, from offset 0.
     *
     * @return a sentence for each thing that is wrong
     */
    public List<String> compare(List<String> stored) {
        List<String> wrong = new ArrayList<>();
        Map<String, Integer> places = new HashMap<>();
        for (int offset = 0; offset < stored.size(); offset++) {
            Integer earlier = places.putIfAbsent(stored.get(offset), offset);
            if (earlier != null) {
                wrong.add("twice: " + head(stored.get(offset)) + " at " + earlier + " and " + offset);
            }
        }
        int last = -1;
        for (String value : acknowledged) {
            int place = places.getOrDefault(value, -1);
            if (place < 0) {
                wrong.add("lost: " + head(value));
            } else if (place < last) {
                wrong.add("out of order: " + head(value) + " at " + place + " behind " + last);
            } else {
                last = place;
            }
        }
        for (int offset = 0; offset < seen.size(); offset++) {
            if (offset >= stored.size() || !stored.get(offset).equals(seen.get(offset))) {
                wrong.add("moved: " + head(seen.get(offset)) + " was at " + offset);
            }
        }
        seen.clear();
        seen.addAll(stored);
        return wrong;
    }

    private static String head(String value) {
        return value.length() > 40 ? value.substring(0, 40) + "…" : value;
    }
}
