// SPDX-License-Identifier: Apache-2.0
package org.talos.check.verdict;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.talos.check.history.Entry;
import org.talos.check.history.Kind;
import org.talos.check.history.Mark;
import org.talos.check.history.Operation;

/** An index of a history, by kind, process, value and offset. Immutable once it is built. */
final class Facts {
    /** Expected values at one offset, and offsets of one value. There are millions of these maps. */
    static final int FEW = 1;

    private final List<Operation> operations;
    private final Map<String, Sent> sent = new LinkedHashMap<>();
    /** The values that were read, by partition and offset, each with its first read. */
    private final Map<String, NavigableMap<Long, Map<String, Operation>>> read = new TreeMap<>();
    /** The partition and offset at which each value was read first. */
    private final Map<String, Entry> places = new HashMap<>();

    private final Set<String> deleted = new HashSet<>();

    Facts(List<Operation> history) {
        operations = history.stream()
                .sorted(Comparator.comparingLong((Operation each) -> each.span().start()))
                .toList();
        for (Operation operation : operations) {
            switch (operation.kind()) {
                case SEND ->
                    operation
                            .entries()
                            .forEach(entry -> sent.computeIfAbsent(entry.value(), value -> new Sent(value, entry.key()))
                                    .add(operation, entry.offset()));
                case POLL -> operation.entries().forEach(entry -> addRead(operation, entry));
                case DELETE -> operation.marks().stream().map(Mark::key).forEach(deleted::add);
                default -> {
                    // Checks that need the other kinds iterate over all operations.
                }
            }
        }
    }

    private void addRead(Operation operation, Entry entry) {
        read.computeIfAbsent(entry.key(), key -> new TreeMap<>())
                .computeIfAbsent(entry.offset(), offset -> new LinkedHashMap<>(FEW))
                .putIfAbsent(entry.value(), operation);
        places.putIfAbsent(entry.value(), entry);
    }

    /** All operations, in the order in which they began. */
    List<Operation> operations() {
        return operations;
    }

    /** The operations of a kind, in the order in which they began. */
    List<Operation> operations(Kind kind) {
        return operations.stream().filter(each -> each.kind() == kind).toList();
    }

    /** The operations of each process, in its order. */
    Map<Integer, List<Operation>> byProcess() {
        Map<Integer, List<Operation>> all = new TreeMap<>();
        operations.forEach(each -> all.computeIfAbsent(each.process(), process -> new ArrayList<>())
                .add(each));
        return all;
    }

    /** All values that were sent, in the order of sending. */
    Iterable<Sent> sent() {
        return sent.values();
    }

    @Nullable
    Sent sent(String value) {
        return sent.get(value);
    }

    /** The partitions from which a value was read. */
    Set<String> keysRead() {
        return read.keySet();
    }

    /** The values read from a partition: by offset, then by value, its first read. */
    NavigableMap<Long, Map<String, Operation>> read(String key) {
        return read.getOrDefault(key, new TreeMap<>());
    }

    /** Returns whether the value was ever read. */
    boolean wasRead(String value) {
        return places.containsKey(value);
    }

    /** The offset of a value: as read first, else as a put's answer says, else {@link Entry#UNKNOWN}. */
    long offset(Sent value) {
        Entry place = places.get(value.value());
        return place == null || !place.key().equals(value.key()) ? value.offset() : place.offset();
    }

    /** Returns whether the partition's topic was deleted during the history. */
    boolean isDeleted(String key) {
        return deleted.contains(key);
    }
}
