// SPDX-License-Identifier: Apache-2.0
package org.talos.client.transport;

import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which server serves which partition, as far as it has been told. Asked again, in the background and not often, when a
 * topic is new, an answer came from elsewhere, a server is gone or does not serve; until then the other routes stand.
 *
 * <p>Thread-safe.
 */
final class Routes {
    private static final Logger LOG = LoggerFactory.getLogger(Routes.class);
    private static final long PAUSE_NANOS = Duration.ofSeconds(10).toNanos();

    private final Function<String, CompletableFuture<Map<Integer, URI>>> schedule;
    private final LongSupplier nanos;
    private final Map<String, Topic> topics = new ConcurrentHashMap<>();

    /** What is known of a topic. Thread-safe. */
    private static final class Topic {
        private final AtomicBoolean asking = new AtomicBoolean();
        private volatile Map<Integer, URI> servers = new ConcurrentHashMap<>();
        private volatile @Nullable Long askedAt;
    }

    /** @param schedule asks for a topic's routes, by its resource name */
    Routes(Function<String, CompletableFuture<Map<Integer, URI>>> schedule, LongSupplier nanos) {
        this.schedule = schedule;
        this.nanos = nanos;
    }

    /** The partition's server; empty if it is not known (yet). */
    Optional<URI> of(Place place) {
        Topic topic = topics.computeIfAbsent(place.resourceName(), name -> new Topic());
        URI server = topic.servers.get(place.partition());
        if (server == null) {
            refresh(place);
        }
        return Optional.ofNullable(server);
    }

    /** That server does not serve the partition any more, whoever does. */
    void forget(Place place) {
        Topic topic = topics.get(place.resourceName());
        if (topic != null) {
            topic.servers.remove(place.partition());
        }
        refresh(place);
    }

    /** What is known is out of date. */
    void refresh(Place place) {
        Topic topic = topics.computeIfAbsent(place.resourceName(), name -> new Topic());
        Long askedAt = topic.askedAt;
        long now = nanos.getAsLong();
        if ((askedAt != null && now - askedAt < PAUSE_NANOS) || !topic.asking.compareAndSet(false, true)) {
            return;
        }
        topic.askedAt = now;
        var unused = schedule.apply(place.resourceName()).whenComplete((servers, thrown) -> {
            if (thrown == null) {
                topic.servers = new ConcurrentHashMap<>(servers);
            } else {
                LOG.debug("no routes topic={}", place.topic(), thrown);
            }
            topic.asking.set(false);
        });
    }
}
