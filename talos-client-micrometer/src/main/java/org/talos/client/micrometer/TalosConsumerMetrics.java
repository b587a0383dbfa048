// SPDX-License-Identifier: Apache-2.0
package org.talos.client.micrometer;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.client.consumer.ConsumerSnapshot;
import org.talos.client.consumer.PollingConsumer;
import org.talos.client.consumer.TalosConsumer;
import org.talos.client.transport.ClientThreads;

/**
 * The figures of one consumer as meters. All have the tag {@code group}, and those of a partition also {@code topic}
 * and {@code partition}:
 *
 * <ul>
 *   <li>{@code talos.consumer.lag}: messages from the position to the end, without expired ones; NaN until it is known
 *   <li>{@code talos.consumer.position}, {@code talos.consumer.committed}: offsets; NaN while there is none
 *   <li>{@code talos.consumer.paused}: 1 if the program has paused the partition, else 0
 *   <li>{@code talos.consumer.buffered}: bytes that are ready for the program
 *   <li>{@code talos.consumer.partitions}: number of partitions that it reads
 *   <li>{@code talos.consumer.contact.age}: time since a server last answered it; NaN if none has
 * </ul>
 *
 * <p>Partitions come and go with their meters, within 5 s. Of two consumers of a group in one program, each has the
 * meters of its own partitions; tags of the program's own tell the other two of one consumer from those of another.
 *
 * <p>Thread-safe.
 */
public final class TalosConsumerMetrics implements MeterBinder, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TalosConsumerMetrics.class);
    private static final Duration INTERVAL = Duration.ofSeconds(5);

    private final Supplier<ConsumerSnapshot> snapshots;
    private final Tags tags;
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(
            new ClientThreads("metrics")); // without a thread until something is bound

    @GuardedBy("this")
    private final List<ConsumerMeters> bound = new ArrayList<>();

    @GuardedBy("this")
    private boolean closed;

    /** The figures of a consumer that is polled. */
    public TalosConsumerMetrics(PollingConsumer consumer) {
        this(consumer, Tags.empty());
    }

    /**
     * The same, with tags of the program's own.
     *
     * @param tags of all meters, beside those of the consumer
     */
    public TalosConsumerMetrics(PollingConsumer consumer, Iterable<Tag> tags) {
        this(consumer::snapshot, tags);
    }

    /** The figures of a consumer whose messages are processed in the background. */
    public TalosConsumerMetrics(TalosConsumer consumer) {
        this(consumer, Tags.empty());
    }

    /**
     * The same, with tags of the program's own.
     *
     * @param tags of all meters, beside those of the consumer
     */
    public TalosConsumerMetrics(TalosConsumer consumer, Iterable<Tag> tags) {
        this(consumer::snapshot, tags);
    }

    TalosConsumerMetrics(Supplier<ConsumerSnapshot> snapshots, Iterable<Tag> tags) {
        this.snapshots = snapshots;
        this.tags = Tags.of(tags);
    }

    /**
     * Registers the meters. May be called for several registries.
     *
     * @throws IllegalStateException this has been closed
     */
    @Override
    public synchronized void bindTo(MeterRegistry registry) {
        if (closed) {
            throw new IllegalStateException("bindTo: the metrics of the consumer are closed");
        }
        ConsumerMeters meters = new ConsumerMeters(registry, snapshots, tags);
        meters.update();
        if (bound.isEmpty()) {
            var unused = timer.scheduleWithFixedDelay(
                    this::update, INTERVAL.toNanos(), INTERVAL.toNanos(), TimeUnit.NANOSECONDS);
        }
        bound.add(meters);
    }

    /** Registers meters of partitions that have come, and removes those of partitions that have gone. */
    synchronized void update() {
        for (ConsumerMeters each : bound) {
            try {
                each.update();
            } catch (RuntimeException | Error e) { // it would not be called again
                LOG.error("the meters of a consumer cannot be updated", e);
            }
        }
    }

    /** Removes the meters. To be called when the consumer is closed; may be called twice. */
    @Override
    public synchronized void close() {
        closed = true;
        timer.shutdownNow();
        bound.forEach(ConsumerMeters::remove);
        bound.clear();
    }
}
