// SPDX-License-Identifier: Apache-2.0
package org.talos.client.simulation;

import java.time.Duration;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.UnknownOutcomeException;
import org.talos.client.producer.Compression;
import org.talos.client.producer.OutgoingMessage;
import org.talos.client.producer.ProducerConfig;
import org.talos.client.producer.PutResult;
import org.talos.client.producer.TalosProducer;

/** A program with a producer, on a machine of its own. Confined: as {@link Turns}. */
final class Producer {
    private static final int OVERHEAD_BYTES = 100; // of a message, in the producer's buffer, at least
    private static final long SECOND = 1_000_000_000L;
    /** A put lasts a twentieth longer, the last try has a tenth of a second in any case, and answers take theirs. */
    private static final long SLACK = 3 * SECOND;

    private final Machine machine;
    private final TalosClient client;
    private final Observations observations;
    private final ProducerConfig config;
    private final int partitions;
    private final Random random;
    private int sent;
    private int open; // accepted and not completed
    private long openBytes;
    private boolean stopping;
    private boolean closed;

    Producer(Machine machine, TalosClient client, Observations observations, ProducerConfig config, int partitions) {
        this.machine = machine;
        this.client = client;
        this.observations = observations;
        this.config = config;
        this.partitions = partitions;
        random = machine.turns().random();
    }

    Machine machine() {
        return machine;
    }

    boolean isClosed() {
        return closed;
    }

    void stop() {
        stopping = true;
    }

    void start() {
        machine.run("program", () -> {
            try {
                run();
            } catch (InterruptedException e) {
                throw machine.turns().violated(machine.name() + " was interrupted");
            }
        });
    }

    private @Nullable TalosProducer opened() {
        while (!stopping) {
            try {
                return new TalosProducer(client, ModelServers.TOPIC, config);
            } catch (TalosClientException e) {
                machine.turns().note(machine.name() + " cannot start: " + e.getMessage());
            }
        }
        return null;
    }

    private void run() throws InterruptedException {
        TalosProducer producer = opened();
        while (producer != null && !stopping) {
            for (int i = random.nextInt(8); i >= 0; i--) {
                send(producer);
            }
            switch (random.nextInt(8)) {
                case 0 -> flush(producer);
                case 1 -> machine.sleep(random.nextInt(10) * SECOND);
                default -> machine.sleep(random.nextInt(1_000) * 1_000_000L);
            }
        }
        if (producer != null) {
            close(producer);
        }
        client.close();
        closed = true;
    }

    private void send(TalosProducer producer) {
        String message = machine.name() + "-" + ++sent;
        OutgoingMessage outgoing = OutgoingMessage.of(message);
        long begun = machine.turns().nanos();
        long paused = machine.pausedNanos();
        long size = (long) message.length() + OVERHEAD_BYTES;
        open++;
        openBytes += size;
        var future =
                random.nextInt(3) == 0 ? producer.send(outgoing) : producer.send(random.nextInt(partitions), outgoing);
        requireSoon("send", begun, paused, config.maxBlock());
        long accepted = machine.turns().nanos();
        long pausedThen = machine.pausedNanos();
        var unused = future.whenComplete((result, thrown) -> {
            open--;
            openBytes -= size;
            completed(message, result, thrown);
            requireSoon("put", accepted, pausedThen, config.deliveryTimeout());
        });
        if (open > config.maxBufferedMessages() || (open > 1 && openBytes > config.maxBufferedBytes())) {
            throw machine.turns().violated(machine.name() + " holds " + open + " messages, " + openBytes + " bytes");
        }
    }

    private void completed(String message, @Nullable PutResult result, @Nullable Throwable thrown) {
        machine.turns().note(message + (thrown == null ? " acknowledged" : " failed: " + thrown.getMessage()));
        if (result != null) {
            observations.acknowledged(message, result.partition());
        } else if (!(thrown instanceof UnknownOutcomeException)) {
            observations.notStored(message);
        }
    }

    private void requireSoon(String what, long begun, long paused, Duration bound) {
        long took = machine.turns().nanos() - begun - (machine.pausedNanos() - paused);
        if (took > bound.toNanos() + SLACK) {
            throw machine.turns()
                    .violated(machine.name() + ": " + what + " takes " + took + " ns (expected: " + bound + ")");
        }
    }

    private void flush(TalosProducer producer) throws InterruptedException {
        boolean bounded = random.nextBoolean();
        Duration within = bounded ? Duration.ofMillis(random.nextInt(5_000)) : config.deliveryTimeout();
        int last = sent;
        long begun = machine.turns().nanos();
        long paused = machine.pausedNanos();
        boolean ended = true;
        try {
            if (bounded) {
                producer.flush(within);
            } else {
                producer.flush();
            }
        } catch (TalosClientException e) {
            ended = !e.code().equals("TIMEOUT");
        }
        requireSoon("flush", begun, paused, within);
        if (ended && open > 0 && last == sent) {
            throw machine.turns().violated(machine.name() + " is flushed, " + open + " messages have not completed");
        }
    }

    private void close(TalosProducer producer) {
        Duration within = Duration.ofSeconds(random.nextInt(20));
        long begun = machine.turns().nanos();
        long paused = machine.pausedNanos();
        var unused = producer.close(within);
        requireSoon("close", begun, paused, within);
        if (open > 0) {
            throw machine.turns().violated(machine.name() + " is closed, " + open + " messages have not completed");
        }
    }

    static ProducerConfig config(Random random) {
        return ProducerConfig.builder()
                .maxBatchMessages(1 + random.nextInt(10))
                .linger(Duration.ofMillis(random.nextInt(50)))
                .maxBufferedMessages(1 + random.nextInt(30))
                .maxBufferedBytes(200 + random.nextInt(6_000))
                .maxBlock(Duration.ofMillis(random.nextInt(5_000)))
                .deliveryTimeout(Duration.ofSeconds(1 + random.nextInt(30)))
                .compression(Compression.NONE)
                .build();
    }
}
