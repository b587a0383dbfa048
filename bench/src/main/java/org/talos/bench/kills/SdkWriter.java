// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.kills;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.producer.OutgoingMessage;
import org.talos.client.producer.ProducerConfig;
import org.talos.client.producer.TalosProducer;

/**
 * Hands messages to the SDK's producer as fast as it takes them, for all partitions in turn.
 *
 * <p>Confined: its thread; acknowledgements come on the producer's.
 */
final class SdkWriter {
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    private final TalosClient client;
    private final String topic;
    private final WriterMessages texts;
    private final Ledger ledger;
    private final AtomicLong unknown = new AtomicLong();
    private final AtomicReference<String> firstFailure = new AtomicReference<>("");

    SdkWriter(TalosClient client, String topic, WriterMessages texts, Ledger ledger) {
        this.client = client;
        this.topic = topic;
        this.texts = texts;
        this.ledger = ledger;
    }

    /** Sends until it is asked to end, and waits for all outcomes. Returns the number of messages that it sent. */
    long run(int writer, BooleanSupplier ending) throws TalosClientException, InterruptedException {
        ProducerConfig config = ProducerConfig.builder()
                .maxBlock(PATIENCE)
                .deliveryTimeout(PATIENCE)
                .closeTimeout(PATIENCE)
                .build();
        long number = 0;
        try (TalosProducer producer = new TalosProducer(client, topic, config)) {
            for (; !ending.getAsBoolean(); number++) {
                long sent = number;
                producer.send(OutgoingMessage.of(texts.of(writer, sent)), (stored, failure) -> {
                    if (failure == null) {
                        ledger.acknowledged(writer, sent);
                    } else {
                        firstFailure.compareAndSet("", failure.toString());
                        unknown.incrementAndGet();
                    }
                });
            }
        }
        return number;
    }

    /** Returns how many puts ended without an acknowledgement. */
    long unknown() {
        return unknown.get();
    }

    /** Why the first of them did; empty if none. */
    String firstFailure() {
        return Objects.requireNonNull(firstFailure.get());
    }
}
