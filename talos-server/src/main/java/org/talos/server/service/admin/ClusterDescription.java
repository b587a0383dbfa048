// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.admin;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SortedMap;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.talos.server.cluster.ClusterStatus;

/**
 * The servers of the cluster as shown to people. Immutable.
 *
 * @param leader its server's id, empty while there is none
 * @param withoutServer number of partitions without a server, or whose server is away
 * @param events the last ones, oldest first
 * @param workers of the server that describes
 */
public record ClusterDescription(
        String leader, List<Server> servers, long withoutServer, List<Event> events, List<Workers> workers) {
    /** A partition in the text of an event: the id of its topic, and its number. */
    private static final Pattern PARTITION = Pattern.compile("([^\\s/]++)/(\\d++)(?![^\\s:,])");

    /**
     * A server. Immutable.
     *
     * @param address where clients reach it, empty while it is away
     * @param partitions that it owns
     * @param health as it said last; empty while that is not known
     */
    public record Server(String id, String state, String address, long partitions, Optional<Health> health) {}

    /**
     * How a server is. Immutable.
     *
     * @param failing why it is not ready, by check; empty if it is
     * @param opening number of partitions that it opens, including takeovers
     */
    public record Health(SortedMap<String, String> failing, long opening) {}

    /**
     * Something that happened. Immutable.
     *
     * @param atMillis by the clock of the leader at that time, ms since 1970
     */
    public record Event(long atMillis, String text) {}

    /**
     * The workers of a pool. Immutable.
     *
     * @param auto whether the number is computed from measurements
     */
    public record Workers(String pool, int workers, boolean auto) {}

    /**
     * Describes a status.
     *
     * @param topicNames returns the name of the topic with an id: the cluster knows only ids
     */
    static ClusterDescription of(ClusterStatus status, List<Workers> workers, UnaryOperator<String> topicNames) {
        return new ClusterDescription(
                status.leader(),
                status.servers().stream()
                        .map(each -> new Server(
                                each.id(),
                                each.state().name().toLowerCase(Locale.ROOT),
                                each.clientAddress(),
                                each.partitions(),
                                each.health().map(health -> new Health(health.failing(), health.opening()))))
                        .toList(),
                status.withoutServer(),
                status.events().stream()
                        .map(each -> new Event(each.atMillis(), named(each.text(), topicNames)))
                        .toList(),
                workers);
    }

    /** Returns the text of an event with the names of topics in place of their ids. */
    private static String named(String text, UnaryOperator<String> topicNames) {
        return PARTITION
                .matcher(text)
                .replaceAll(found -> Matcher.quoteReplacement(topicNames.apply(found.group(1)) + "/" + found.group(2)));
    }
}
