// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.topic;

import java.time.Duration;
import java.util.Comparator;
import java.util.Optional;
import java.util.OptionalLong;
import org.talos.server.auth.Permissions;
import org.talos.server.auth.Principal;
import org.talos.server.metadata.cache.TopicDirectory;
import org.talos.server.metadata.rows.topic.TopicRecord;
import org.talos.server.runtime.time.Ticker;
import org.talos.server.service.call.Caller;
import org.talos.server.service.list.ListOrder;
import org.talos.server.service.list.ListPage;
import org.talos.server.service.list.ListPlace;
import org.talos.server.service.list.ListQuery;
import org.talos.server.service.list.PageSelection;
import org.talos.server.service.topic.TopicFigures.Figures;
import org.talos.server.service.topic.TopicList.Contents;
import org.talos.server.service.topic.TopicList.Row;
import org.talos.thrift.Permission;

/**
 * Searches and sorts the topics that a caller owns or may use. Their figures are for callers that may describe them.
 *
 * <p>Thread-safe. Reads memory only.
 */
public final class TopicLists {
    private static final String SMALLER = "ask for a smaller page";
    private static final int RATE_STEPS = 1_000; // rates are sorted by thousandths

    private final TopicDirectory directory;
    private final TopicFigures figures;
    private final Ticker ticker;

    public TopicLists(TopicDirectory directory, TopicFigures figures, Ticker ticker) {
        this.directory = directory;
        this.figures = figures;
        this.ticker = ticker;
    }

    /** Returns a page of the topics that match. */
    public TopicList find(Caller caller, TopicSort sort, ListQuery query) {
        Principal principal = caller.principal();
        principal.requireRightToAct();
        figures.refreshIfShort();
        PageSelection<TopicRecord> selection = new PageSelection<>(query);
        for (TopicRecord topic : directory.all()) {
            if (query.filter().matches(topic.name(), topic.owner()) && Permissions.bits(topic, principal) != 0) {
                selection.add(place(topic, sort, principal), topic);
            }
        }
        ListPage<TopicRecord> found = selection.page();
        caller.memory().reserve(found.rows(), TopicViews::infoBytes, SMALLER);
        ListPage<Row> page = new ListPage<>(
                found.rows().stream().map(topic -> row(topic, principal)).toList(), found.total(), found.next());
        return new TopicList(page, age(page));
    }

    private ListPlace place(TopicRecord topic, TopicSort sort, Principal principal) {
        return switch (sort) {
            case NAME -> ListPlace.of(topic.name());
            case OWNER -> ListPlace.of(topic.owner() + ListOrder.SEPARATOR + topic.name());
            case MESSAGES, SIZE, RATE ->
                new ListPlace(
                        mayDescribe(topic, principal) ? figure(figures.of(topic), sort) : OptionalLong.empty(),
                        topic.name());
        };
    }

    private static OptionalLong figure(Figures of, TopicSort sort) {
        return switch (sort) {
            case MESSAGES -> of.messages();
            case SIZE -> of.bytes();
            case RATE ->
                of.putsPerSecond().isPresent()
                        ? OptionalLong.of(Math.round(of.putsPerSecond().getAsDouble() * RATE_STEPS))
                        : OptionalLong.empty();
            case NAME, OWNER -> OptionalLong.empty();
        };
    }

    private static boolean mayDescribe(TopicRecord topic, Principal principal) {
        int needed = Permission.DESCRIBE_TOPIC.getValue();
        return (Permissions.bits(topic, principal) & needed) == needed;
    }

    private Row row(TopicRecord topic, Principal principal) {
        return new Row(
                topic.name(),
                topic.owner(),
                topic.resourceName(),
                mayDescribe(topic, principal)
                        ? Optional.of(new Contents(topic.partitions(), topic.retentionSeconds(), figures.of(topic)))
                        : Optional.empty());
    }

    private Optional<Duration> age(ListPage<Row> page) {
        long now = ticker.nanos();
        return page.rows().stream()
                .flatMap(row -> row.contents().stream())
                .map(contents ->
                        Duration.ofNanos(Math.max(0, now - contents.figures().nanos())))
                .max(Comparator.naturalOrder());
    }
}
