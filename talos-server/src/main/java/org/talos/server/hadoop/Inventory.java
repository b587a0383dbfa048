// SPDX-License-Identifier: Apache-2.0
package org.talos.server.hadoop;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a store holds: the first of it by name, all of it by count. Never what is in it.
 *
 * <p>Confined: whoever looks.
 */
public final class Inventory {
    private final String what;
    private final int shown;
    private final List<Item> first = new ArrayList<>();
    private final Map<String, Total> totals = new TreeMap<>();
    private boolean cut;

    /**
     * Nothing yet.
     *
     * @param what what is held, in a few words
     * @param shown so many are kept by name
     */
    public Inventory(String what, int shown) {
        this.what = what;
        this.shown = shown;
    }

    /**
     * One thing that is held. Immutable.
     *
     * @param name a path, or a row's key
     * @param bytes its size
     * @param line the same and more, for people
     */
    public record Item(String name, long bytes, String line) {}

    /**
     * All things of a kind. Immutable.
     *
     * @param count how many
     * @param bytes their sizes together
     */
    public record Total(long count, long bytes) {}

    /** One more thing. */
    public void add(String kind, Item item) {
        if (first.size() < shown) {
            first.add(item);
        }
        totals.merge(
                kind,
                new Total(1, item.bytes()),
                (all, one) -> new Total(all.count() + one.count(), all.bytes() + one.bytes()));
    }

    /** There is more than was counted. */
    public void cut() {
        cut = true;
    }

    /** What is held, in a few words. */
    public String what() {
        return what;
    }

    /** The first, by name. */
    public List<Item> first() {
        return List.copyOf(first);
    }

    /** Counts and sizes by kind. */
    public Map<String, Total> totals() {
        return Map.copyOf(totals);
    }

    /** Counted so far. */
    public long count() {
        return totals.values().stream().mapToLong(Total::count).sum();
    }

    /** Whether there is more than was counted. */
    public boolean isCut() {
        return cut;
    }
}
