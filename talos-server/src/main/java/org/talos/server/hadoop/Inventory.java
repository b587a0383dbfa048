// SPDX-License-Identifier: Apache-2.0
package org.talos.server.hadoop;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Lists the contents of a store: the first items by name, and the counts and sizes of all. Never lists data.
 *
 * <p>Confined: the thread that fills it.
 */
public final class Inventory {
    private final String what;
    private final int shown;
    private final List<Item> first = new ArrayList<>();
    private final Map<String, Total> totals = new TreeMap<>();
    private boolean truncated;

    /**
     * An empty inventory.
     *
     * @param what short description of the items
     * @param shown number of items to keep by name
     */
    public Inventory(String what, int shown) {
        this.what = what;
        this.shown = shown;
    }

    /**
     * A file or a row. Immutable.
     *
     * @param name a path, or a row's key
     * @param bytes its size
     * @param line the item as it is printed
     */
    public record Item(String name, long bytes, String line) {}

    /**
     * All items of a kind. Immutable.
     *
     * @param count number of items
     * @param bytes sum of their sizes
     */
    public record Total(long count, long bytes) {}

    /** Adds an item. */
    public void add(String kind, Item item) {
        if (first.size() < shown) {
            first.add(item);
        }
        totals.merge(
                kind,
                new Total(1, item.bytes()),
                (all, one) -> new Total(all.count() + one.count(), all.bytes() + one.bytes()));
    }

    /** Records that not all items were counted. */
    public void truncate() {
        truncated = true;
    }

    /** A short description of the items. */
    public String what() {
        return what;
    }

    /** The first items. */
    public List<Item> first() {
        return List.copyOf(first);
    }

    /** Counts and sizes by kind. */
    public Map<String, Total> totals() {
        return Map.copyOf(totals);
    }

    /** Number of items counted. */
    public long count() {
        return totals.values().stream().mapToLong(Total::count).sum();
    }

    /** Returns whether not all items were counted. */
    public boolean isTruncated() {
        return truncated;
    }
}
