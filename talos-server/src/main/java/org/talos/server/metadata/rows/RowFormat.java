// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.rows;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/**
 * How a record's rows have changed: the upgrade from each version to the next, the first being 1. Immutable.
 *
 * @param fitsBefore whether a row can be written in the previous version, for servers that know no other; removes
 *     values for which that version has no field
 */
public record RowFormat(List<UnaryOperator<ObjectNode>> upgrades, Predicate<ObjectNode> fitsBefore) {
    /** The format of rows that have never changed. */
    public static final RowFormat FIRST = new RowFormat(List.of());

    /** A format whose rows are always written in its last version. */
    public RowFormat(List<UnaryOperator<ObjectNode>> upgrades) {
        this(upgrades, row -> false);
    }

    int version() {
        return upgrades.size() + 1;
    }

    boolean reads(JsonNode found) {
        return found.isInt() && found.intValue() <= version() && found.intValue() >= 1;
    }

    ObjectNode upgrade(ObjectNode row, int from) {
        ObjectNode current = row;
        for (UnaryOperator<ObjectNode> step : upgrades.subList(from - 1, upgrades.size())) {
            current = step.apply(current);
        }
        return current;
    }
}
