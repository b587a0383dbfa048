// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.client;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** Puts messages by all threads as fast as the library takes them. Confined: the main thread. */
final class PutLoad {
    private static final int DIGITS = 2;

    private final MeasuredClient client;
    private final NumberedMessages messages;
    private final int threads;

    PutLoad(MeasuredClient client, NumberedMessages messages, int threads) {
        this.client = client;
        this.messages = messages;
        this.threads = threads;
    }

    LoadPhase run(long first, long count, ClientLoad load) throws Exception {
        Histogram latency = new ConcurrentHistogram(DIGITS);
        AtomicReference<@Nullable Exception> failure = new AtomicReference<>();
        Duration clientCpu = ClientLoad.clientCpu();
        Duration serverCpu = load.serverCpu();
        long start = System.nanoTime();
        load.all(thread -> {
            for (long number = first + thread; number < first + count && failure.get() == null; number += threads) {
                send(messages.message(number), latency, failure);
            }
        });
        client.flush();
        Duration took = Duration.ofNanos(System.nanoTime() - start);
        clientCpu = ClientLoad.clientCpu().minus(clientCpu);
        serverCpu = load.serverCpu().minus(serverCpu);
        if (failure.get() != null || latency.getTotalCount() != count) {
            throw new IllegalStateException(
                    latency.getTotalCount() + " of " + count + " messages were acknowledged", failure.get());
        }
        return new LoadPhase(LoadPhase.PUT, latency, took, clientCpu, serverCpu);
    }

    private void send(byte[] message, Histogram latency, AtomicReference<@Nullable Exception> failure)
            throws Exception {
        long sent = System.nanoTime();
        client.send(message, thrown -> {
            if (thrown == null) {
                latency.recordValue(System.nanoTime() - sent);
            } else {
                failure.compareAndSet(null, thrown);
            }
        });
    }
}
