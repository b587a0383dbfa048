// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.talos.cli.CommandException;
import org.talos.cli.Units;
import org.talos.cli.argument.Position;

/** Writes the request that deletes a topic's oldest messages, in REST's form, and reads its result. Immutable. */
final class TopicEmptying {
    private static final String ROW = "%9s %14s %14s %14s %14s";

    private TopicEmptying() {}

    /**
     * Returns the body of the request.
     *
     * @param partitions null for all
     */
    static String body(Position before, @Nullable Set<Integer> partitions, boolean preview) throws CommandException {
        String place = switch (before.place()) {
            case LATEST -> "\"before\": \"latest\"";
            case OFFSET -> "\"offset\": " + before.value();
            case TIME -> "\"before\": \"" + before.time() + "\"";
            case EARLIEST, LAST ->
                throw CommandException.usage(
                        "--before needs a message that stays (expected: latest, an offset or a time)");
        };
        String some = partitions == null ? "" : ", \"partitions\": " + new TreeSet<>(partitions);
        return "{" + place + some + ", \"preview\": " + preview + "}";
    }

    /** Returns the lines for people, and for programs that read tables. */
    static List<String> text(JsonNode answer, boolean people) {
        List<String> text = new ArrayList<>();
        text.add(String.format(Locale.ROOT, ROW, "PARTITION", "FROM", "TO", "MESSAGES", people ? "SIZE" : "BYTES"));
        long messages = 0;
        long bytes = 0;
        for (JsonNode each : answer.path("partitions")) {
            messages += each.path("messages").asLong();
            bytes += each.path("bytes").asLong();
            text.add(String.format(
                    Locale.ROOT,
                    ROW,
                    each.path("partition").asText(),
                    each.path("from").asText(),
                    each.path("to").asText(),
                    each.path("messages").asText(),
                    size(each.path("bytes").asLong(), people)));
        }
        text.add("messages: " + messages + ", " + (people ? "size: " : "bytes: ") + size(bytes, people));
        return text;
    }

    private static String size(long bytes, boolean people) {
        return people ? Units.bytes(bytes) : Long.toString(bytes);
    }
}
