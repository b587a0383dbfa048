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
import org.slf4j.LoggerFactory;

/**
 * Caches which server serves which partition. A topic's routes are looked up in the background, at most every 10 s:
 * when the topic is new, a request was transferred, a server fails or no longer serves; until then the cached ones are
 * used.
 *
 * <p>Thread-safe.
 */
final class Routes {
    private static final long PAUSE_NANOS = Duration.ofSeconds(10).toNanos();

    private final Function<String, CompletableFuture<Map<Integer, URI>>> schedule;
    private final LongSupplier nanos;
    private final Map<String, TopicRoutes> topics = new ConcurrentHashMap<>();

    /** The cached routes of one topic. Thread-safe. */
    private static final class TopicRoutes {
        private final AtomicBoolean refreshing = new AtomicBoolean();
        private volatile Map<Integer, URI> servers = new ConcurrentHashMap<>();
        private volatile @Nullable Long refreshedAt;
    }

    /**
     * Creates an empty cache.
     *
     * @param schedule looks up a topic's routes by its resource name
     */
    Routes(Function<String, CompletableFuture<Map<Integer, URI>>> schedule, LongSupplier nanos) {
        this.schedule = schedule;
        this.nanos = nanos;
    }

    /** Returns the server of a partition; empty, and a look-up is started, if it is not known. */
    Optional<URI> of(PartitionRef partition) {
        TopicRoutes topic = topics.computeIfAbsent(partition.resourceName(), name -> new TopicRoutes());
        URI server = topic.servers.get(partition.number());
        if (server == null) {
            refresh(partition);
        }
        return Optional.ofNullable(server);
    }

    /** Removes the route of a partition whose server answered that it does not serve it, and starts a look-up. */
    void forget(PartitionRef partition) {
        TopicRoutes topic = topics.get(partition.resourceName());
        if (topic != null) {
            topic.servers.remove(partition.number());
        }
        refresh(partition);
    }

    /** Looks up the routes of a partition's topic, unless that was done within the last 10 s or is under way. */
    void refresh(PartitionRef partition) {
        TopicRoutes topic = topics.computeIfAbsent(partition.resourceName(), name -> new TopicRoutes());
        Long refreshedAt = topic.refreshedAt;
        long now = nanos.getAsLong();
        if ((refreshedAt != null && now - refreshedAt < PAUSE_NANOS) || !topic.refreshing.compareAndSet(false, true)) {
            return;
        }
        topic.refreshedAt = now;
        var unused = schedule.apply(partition.resourceName()).whenComplete((servers, thrown) -> {
            if (thrown == null) {
                topic.servers = new ConcurrentHashMap<>(servers);
            } else {
                // Not a constant: most commands log nothing, and the first logger starts all of logging.
                LoggerFactory.getLogger(Routes.class).debug("no routes topic={}", partition.topic(), thrown);
            }
            topic.refreshing.set(false);
        });
    }
}
