// SPDX-License-Identifier: Apache-2.0
package org.talos.client.micrometer;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.binder.BaseUnits;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import org.talos.client.producer.ProducerSnapshot;
import org.talos.client.producer.TalosProducer;

/**
 * The figures of one producer as meters. All have the tag {@code topic}:
 *
 * <ul>
 *   <li>{@code talos.producer.stored.messages}, {@code talos.producer.stored.puts},
 *       {@code talos.producer.stored.bytes}: counters of acknowledged messages, puts, and bytes; the bytes as they were
 *       sent, compressed
 *   <li>{@code talos.producer.failed.messages}: a counter of the messages that have failed
 *   <li>{@code talos.producer.buffered.messages}, {@code talos.producer.buffered}: messages that have not completed,
 *       and the bytes that they take
 *   <li>{@code talos.producer.puts.in.flight}: puts that have been begun and have not ended
 *   <li>{@code talos.producer.contact.age}: time since a server last answered it
 * </ul>
 *
 * <p>Several producers of a topic in one program need tags of the program's own, or the meters are those of the first.
 *
 * <p>Thread-safe.
 */
public final class TalosProducerMetrics implements MeterBinder, AutoCloseable {
    private final TalosProducer producer;
    private final Tags tags;

    @GuardedBy("this")
    private final Map<MeterRegistry, List<Meter>> bound = new HashMap<>();

    /** The figures of a producer. */
    public TalosProducerMetrics(TalosProducer producer) {
        this(producer, Tags.empty());
    }

    /**
     * The same, with tags of the program's own.
     *
     * @param tags of all meters, beside that of the producer
     */
    public TalosProducerMetrics(TalosProducer producer, Iterable<Tag> tags) {
        this.producer = producer;
        this.tags = Tags.of(tags).and("topic", producer.snapshot().topic());
    }

    /** Registers the meters. May be called for several registries. */
    @Override
    public synchronized void bindTo(MeterRegistry registry) {
        List<Meter> meters = bound.computeIfAbsent(registry, each -> new ArrayList<>());
        meters.add(counter("stored.messages", "messages that were acknowledged", ProducerSnapshot::storedMessages)
                .baseUnit(BaseUnits.MESSAGES)
                .register(registry));
        meters.add(counter("stored.puts", "puts that were acknowledged", ProducerSnapshot::storedPuts)
                .register(registry));
        meters.add(counter("stored.bytes", "bytes of the puts, as they were sent", ProducerSnapshot::storedBytes)
                .baseUnit(BaseUnits.BYTES)
                .register(registry));
        meters.add(counter("failed.messages", "messages that have failed", ProducerSnapshot::failedMessages)
                .baseUnit(BaseUnits.MESSAGES)
                .register(registry));
        meters.add(gauge("buffered.messages", "messages that have not completed", ProducerSnapshot::bufferedMessages)
                .baseUnit(BaseUnits.MESSAGES)
                .register(registry));
        meters.add(gauge("buffered", "what those take", ProducerSnapshot::bufferedBytes)
                .baseUnit(BaseUnits.BYTES)
                .register(registry));
        meters.add(gauge("puts.in.flight", "puts that have been begun", ProducerSnapshot::putsInFlight)
                .register(registry));
        meters.add(TimeGauge.builder(
                        "talos.producer.contact.age",
                        producer,
                        TimeUnit.MILLISECONDS,
                        of -> Math.max(
                                0,
                                registry.config().clock().wallTime()
                                        - of.snapshot().lastContact().toEpochMilli()))
                .description("time since a server last answered the producer")
                .tags(tags)
                .register(registry));
    }

    private FunctionCounter.Builder<TalosProducer> counter(
            String name, String description, ToDoubleFunction<ProducerSnapshot> value) {
        return FunctionCounter.builder("talos.producer." + name, producer, of -> value.applyAsDouble(of.snapshot()))
                .description(description)
                .tags(tags);
    }

    private Gauge.Builder<TalosProducer> gauge(
            String name, String description, ToDoubleFunction<ProducerSnapshot> value) {
        return Gauge.builder("talos.producer." + name, producer, of -> value.applyAsDouble(of.snapshot()))
                .description(description)
                .tags(tags)
                .strongReference(true);
    }

    /** Removes the meters. To be called when the producer is closed; may be called twice. */
    @Override
    public synchronized void close() {
        bound.forEach((registry, meters) -> meters.forEach(registry::remove));
        bound.clear();
    }
}
