// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.search;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.ToLongFunction;
import java.util.regex.Pattern;
import org.talos.server.http.rest.RestRequest;
import org.talos.server.http.rest.json.ProblemException;
import org.talos.server.service.call.PartitionName;
import org.talos.server.service.message.PartitionEnds;

/** A place in each partition, where a search begins or ends. Immutable. */
sealed interface SearchPlace {
    Pattern NUMBER = Pattern.compile("[0-9]{1,18}");
    Pattern BEFORE_END = Pattern.compile("latest-([0-9]{1,18})");
    Pattern BY_PARTITION = Pattern.compile("[0-9]{1,9}:[0-9]{1,18}(?:,[0-9]{1,9}:[0-9]{1,18})*+");

    /** The oldest message that there is. */
    record Earliest() implements SearchPlace {}

    /** A number of messages before the end of the partition when the search begins. Immutable. */
    record BeforeEnd(long messages) implements SearchPlace {}

    /** The same offset everywhere. Immutable. */
    record Offset(long offset) implements SearchPlace {}

    /** The first message that was appended at or after a time, ms since 1970. Immutable. */
    record Time(long millis) implements SearchPlace {}

    /** An offset for each partition to search, and for no other. Immutable. */
    record ByPartition(Map<Integer, Long> offsets) implements SearchPlace {
        public ByPartition {
            offsets = Map.copyOf(offsets);
        }
    }

    /**
     * Reads a parameter.
     *
     * @param times milliseconds since 1970, from a text that has none of the other forms; fails with a ProblemException
     */
    static SearchPlace parse(String text, ToLongFunction<String> times) {
        var before = BEFORE_END.matcher(text);
        if (text.equals("earliest")) {
            return new Earliest();
        }
        if (text.equals("latest")) {
            return new BeforeEnd(0);
        }
        if (before.matches()) {
            return new BeforeEnd(Long.parseLong(before.group(1)));
        }
        if (NUMBER.matcher(text).matches()) {
            return new Offset(Long.parseLong(text));
        }
        return BY_PARTITION.matcher(text).matches()
                ? new ByPartition(byPartition(text))
                : new Time(times.applyAsLong(text));
    }

    private static Map<Integer, Long> byPartition(String text) {
        Map<Integer, Long> offsets = new HashMap<>();
        for (String each : text.split(",")) {
            int colon = each.indexOf(':');
            Long twice =
                    offsets.put(Integer.parseInt(each.substring(0, colon)), Long.parseLong(each.substring(colon + 1)));
            if (twice != null) {
                throw ProblemException.badRequest("a partition comes more than once in " + each);
            }
        }
        return offsets;
    }

    /**
     * Returns the offset of the place in a partition, within its stored messages.
     *
     * @return completes with nothing if the partition is not to be searched
     */
    default CompletionStage<OptionalLong> in(RestRequest request, PartitionName partition, PartitionEnds ends) {
        return offset(request, partition, ends)
                .map(asked -> asked.thenApply(
                        offset -> OptionalLong.of(Math.max(ends.first(), Math.min(ends.next(), offset)))))
                .orElse(CompletableFuture.completedFuture(OptionalLong.empty()));
    }

    private Optional<CompletionStage<Long>> offset(RestRequest request, PartitionName partition, PartitionEnds ends) {
        if (this instanceof Time time) {
            return Optional.of(
                    request.operations().messages().offsetAtTime(request.context(), partition, time.millis()));
        }
        if (this instanceof ByPartition places) {
            return Optional.ofNullable(places.offsets().get(partition.number()))
                    .map(CompletableFuture::completedFuture);
        }
        if (this instanceof Offset place) {
            return Optional.of(CompletableFuture.completedFuture(place.offset()));
        }
        return Optional.of(CompletableFuture.completedFuture(
                this instanceof BeforeEnd before ? ends.next() - before.messages() : ends.first()));
    }
}
