// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.search;

import java.util.List;
import java.util.Optional;
import org.talos.server.http.rest.json.ProblemException;
import org.talos.server.http.rest.message.BlockMessages;
import org.talos.server.http.rest.search.SearchPlace.BeforeEnd;
import org.talos.server.http.rest.search.SearchPlace.Earliest;
import org.talos.server.http.rest.search.SearchPlace.Offset;
import org.talos.server.http.rest.search.SearchPlace.Time;
import org.talos.server.http.rest.search.SearchSource.Asked;
import org.talos.server.http.rest.search.SearchSource.Range;
import org.talos.server.memory.RequestMemory;

/** The direction of a search. A place is a position between two messages, and is the same in both directions. */
enum SearchDirection {
    FORWARD("earliest", "latest"),
    BACKWARD("latest", "earliest");

    private final String usualFrom;
    private final String usualTo;

    SearchDirection(String usualFrom, String usualTo) {
        this.usualFrom = usualFrom;
        this.usualTo = usualTo;
    }

    /**
     * Reads the parameter.
     *
     * @throws ProblemException 400
     */
    static SearchDirection of(Optional<String> name) {
        return switch (name.orElse("forward")) {
            case "forward" -> FORWARD;
            case "backward" -> BACKWARD;
            default -> throw ProblemException.badRequest("parameter direction (expected: forward or backward)");
        };
    }

    /** Returns where a search begins that names no place. */
    String usualFrom() {
        return usualFrom;
    }

    /** Returns where a search ends that names no place. */
    String usualTo() {
        return usualTo;
    }

    /**
     * Checks that there may be messages between the places of a search backwards.
     *
     * @throws ProblemException 400
     */
    void check(SearchPlace from, SearchPlace to) {
        if (this == FORWARD) {
            return;
        }
        if (from instanceof Earliest) {
            throw ProblemException.badRequest("parameter from (expected with direction=backward: latest, latest-<n>, an"
                    + " offset, or a point of time, since no message is before earliest)");
        }
        if (isBehind(to, from)) {
            throw ProblemException.badRequest(
                    "parameter to (expected with direction=backward: a place before from, as the search ends there)");
        }
    }

    private static boolean isBehind(SearchPlace to, SearchPlace from) {
        if (to instanceof BeforeEnd end) {
            return end.messages() == 0 || (from instanceof BeforeEnd begin && end.messages() < begin.messages());
        }
        if (to instanceof Offset end) {
            return from instanceof Offset begin && end.offset() > begin.offset();
        }
        return to instanceof Time end && from instanceof Time begin && end.millis() > begin.millis();
    }

    /** Returns the place that bounds the older messages. */
    SearchPlace older(SearchPlace from, SearchPlace to) {
        return this == FORWARD ? from : to;
    }

    /** Returns the place that bounds the newer messages. */
    SearchPlace newer(SearchPlace from, SearchPlace to) {
        return this == FORWARD ? to : from;
    }

    /** Returns a walk in this direction. */
    SearchWalk walk(BlockMessages blocks, RequestMemory memory, Asked asked, List<Range> ranges) {
        return this == FORWARD
                ? new ForwardWalk(blocks, memory, asked, ranges)
                : new BackwardWalk(blocks, memory, asked, ranges);
    }
}
