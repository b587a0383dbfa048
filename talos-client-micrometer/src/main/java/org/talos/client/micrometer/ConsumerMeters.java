// SPDX-License-Identifier: Apache-2.0
package org.talos.client.micrometer;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.binder.BaseUnits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.talos.client.consumer.ConsumerSnapshot;
import org.talos.client.consumer.TopicPartition;

/**
 * The meters of one consumer in one registry. They read a snapshot that is a second old at most, so that reading all of
 * them takes one.
 *
 * <p>Thread-safe.
 */
final class ConsumerMeters {
    private static final Duration AGE = Duration.ofSeconds(1);

    private final MeterRegistry registry;
    private final Supplier<ConsumerSnapshot> snapshots;
    private final Tags tags;

    @GuardedBy("this")
    private @Nullable Recent recent;

    @GuardedBy("this")
    private final Map<TopicPartition, List<Meter>> ofPartitions = new HashMap<>();

    @GuardedBy("this")
    private final List<Meter> ofConsumer = new ArrayList<>();

    /** A snapshot, its partitions by name, and when it was made by the registry's monotonic clock. Immutable. */
    private record Recent(
            ConsumerSnapshot snapshot, Map<TopicPartition, ConsumerSnapshot.Partition> partitions, long atNanos) {}

    ConsumerMeters(MeterRegistry registry, Supplier<ConsumerSnapshot> snapshots, Tags own) {
        this.registry = registry;
        this.snapshots = snapshots;
        tags = own.and("group", snapshots.get().group());
    }

    /** Registers missing meters, and removes those of partitions that have gone. */
    synchronized void update() {
        recent = null;
        Set<TopicPartition> now = Set.copyOf(recent().partitions.keySet());
        if (ofConsumer.isEmpty()) {
            registerConsumer();
        }
        for (TopicPartition gone : Set.copyOf(ofPartitions.keySet())) {
            if (!now.contains(gone)) {
                remove(ofPartitions.getOrDefault(gone, List.of()));
                ofPartitions.remove(gone);
            }
        }
        for (TopicPartition each : now) {
            if (!ofPartitions.containsKey(each)) {
                ofPartitions.put(each, registered(each));
            }
        }
    }

    @GuardedBy("this")
    private void registerConsumer() {
        ofConsumer.add(Gauge.builder(
                        "talos.consumer.partitions",
                        this,
                        me -> me.recent().partitions.size())
                .description("partitions that the consumer reads")
                .tags(tags)
                .strongReference(true)
                .register(registry));
        ofConsumer.add(TimeGauge.builder(
                        "talos.consumer.contact.age", this, TimeUnit.MILLISECONDS, ConsumerMeters::millisSinceContact)
                .description("time since a server last answered the consumer")
                .tags(tags)
                .register(registry));
    }

    private List<Meter> registered(TopicPartition partition) {
        return List.of(
                gauge(
                        "talos.consumer.lag",
                        "messages that are still to be read, without expired ones",
                        BaseUnits.MESSAGES,
                        partition,
                        each -> value(each.lag())),
                gauge(
                        "talos.consumer.position",
                        "offset of the message that the program gets next",
                        null,
                        partition,
                        each -> value(each.position())),
                gauge(
                        "talos.consumer.committed",
                        "offset at which the group continues",
                        null,
                        partition,
                        each -> value(each.committed())),
                gauge(
                        "talos.consumer.paused",
                        "1 if the program has paused the partition",
                        null,
                        partition,
                        each -> each.isPaused() ? 1 : 0),
                gauge(
                        "talos.consumer.buffered",
                        "messages that are ready for the program",
                        BaseUnits.BYTES,
                        partition,
                        ConsumerSnapshot.Partition::bufferedBytes));
    }

    /** Registers a gauge, in place of that of another consumer of the program which has had the partition. */
    private Gauge gauge(
            String name,
            String description,
            @Nullable String unit,
            TopicPartition partition,
            ToDoubleFunction<ConsumerSnapshot.Partition> value) {
        Tags all = tags.and("topic", partition.topic(), "partition", Integer.toString(partition.partition()));
        Gauge.Builder<ConsumerMeters> builder = Gauge.builder(name, this, me -> me.value(partition, value))
                .description(description)
                .baseUnit(unit)
                .tags(all)
                .strongReference(true);
        Collection<Meter> before = registry.find(name).tags(all).meters();
        Gauge gauge = builder.register(registry);
        if (before.stream().anyMatch(each -> each == gauge)) { // the registry has given back the other consumer's
            registry.remove(gauge);
            return builder.register(registry);
        }
        return gauge;
    }

    private synchronized Recent recent() {
        long now = registry.config().clock().monotonicTime();
        Recent last = recent;
        if (last == null || now - last.atNanos >= AGE.toNanos()) {
            ConsumerSnapshot snapshot = snapshots.get();
            last = new Recent(
                    snapshot,
                    snapshot.partitions().stream()
                            .collect(Collectors.toMap(ConsumerSnapshot.Partition::partition, each -> each)),
                    now);
            recent = last;
        }
        return last;
    }

    private double value(TopicPartition partition, ToDoubleFunction<ConsumerSnapshot.Partition> value) {
        ConsumerSnapshot.Partition found = recent().partitions.get(partition);
        return found == null ? Double.NaN : value.applyAsDouble(found);
    }

    private static double value(OptionalLong known) {
        return known.isPresent() ? known.getAsLong() : Double.NaN;
    }

    private double millisSinceContact() {
        return recent().snapshot
                .lastContact()
                .map(at -> (double) Math.max(0, registry.config().clock().wallTime() - at.toEpochMilli()))
                .orElse(Double.NaN);
    }

    /** Removes all meters. */
    synchronized void remove() {
        remove(ofConsumer);
        ofConsumer.clear();
        ofPartitions.values().forEach(this::remove);
        ofPartitions.clear();
    }

    private void remove(List<Meter> meters) {
        for (Meter each : meters) {
            Meter.Id id = each.getId();
            if (registry.find(id.getName()).tags(id.getTags()).meters().stream().anyMatch(now -> now == each)) {
                registry.remove(each);
            } // else another consumer of the program has the partition by now
        }
    }
}
