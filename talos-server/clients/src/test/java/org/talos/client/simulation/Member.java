// SPDX-License-Identifier: Apache-2.0
package org.talos.client.simulation;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.consumer.Checkpoint;
import org.talos.client.consumer.ConsumerConfig;
import org.talos.client.consumer.FetchedMessage;
import org.talos.client.consumer.MessageProcessor;
import org.talos.client.consumer.StartPosition;
import org.talos.client.consumer.TalosConsumer;

/** A program with a consumer, on a machine of its own. Confined: as {@link Turns}. */
final class Member {
    private static final long SECOND = 1_000_000_000L;
    private static final long CLOSE_SLACK = 3 * SECOND;

    private final Machine machine;
    private final TalosClient client;
    private final Observations observations;
    private final Calm calm;
    private final ConsumerConfig config;
    private final TalosConsumer consumer;
    private final Random random;
    private boolean closing;
    private boolean closed;

    /** A source that says whether faults have stopped. */
    @FunctionalInterface
    interface Calm {
        boolean is();
    }

    Member(Machine machine, TalosClient client, Observations observations, Calm calm, ConsumerConfig config) {
        this.machine = machine;
        this.client = client;
        this.observations = observations;
        this.calm = calm;
        this.config = config;
        random = machine.turns().random();
        consumer = TalosConsumer.builder(client, ModelServers.GROUP)
                .topics(ModelServers.TOPIC)
                .config(config)
                .processors(partition -> new Processor(partition.partition()))
                .build();
    }

    Machine machine() {
        return machine;
    }

    String name() {
        return consumer.member();
    }

    boolean isClosing() {
        return closing;
    }

    boolean isClosed() {
        return closed;
    }

    void start() {
        machine.run("program", () -> {
            while (!closing) {
                try {
                    consumer.start();
                    return;
                } catch (TalosClientException e) {
                    machine.turns().note(machine.name() + " cannot start: " + e.getMessage());
                    if (closing) {
                        return;
                    }
                } catch (IllegalStateException e) {
                    if (closing) { // closed meanwhile
                        return;
                    }
                    throw e;
                }
            }
        });
    }

    /** Closes it in order, in its time. */
    void close() {
        closing = true;
        machine.run("closer", () -> {
            Turns turns = machine.turns();
            turns.note("closes " + machine.name());
            long begun = turns.nanos();
            long paused = machine.pausedNanos();
            consumer.close();
            long took = turns.nanos() - begun - (machine.pausedNanos() - paused);
            if (took > config.closeTimeout().toNanos() + CLOSE_SLACK) {
                throw turns.violated(machine.name() + " takes " + took + " ns to close");
            }
            if (!consumer.ended().toCompletableFuture().isDone()) {
                throw turns.violated(machine.name() + " is closed and has not ended");
            }
            client.close();
            closed = true;
            turns.note("closed " + machine.name());
        });
    }

    /** Processes messages, at times slowly or with a failure. Confined: the reader. */
    private final class Processor implements MessageProcessor {
        private final int partition;
        private long next = -1;

        Processor(int partition) {
            this.partition = partition;
        }

        @Override
        public void process(List<FetchedMessage> messages, Checkpoint checkpoint) throws Exception {
            observations.processing(machine.name(), partition, messages, next);
            next = messages.get(0).offset();
            long end = messages.get(messages.size() - 1).offset() + 1;
            if (!calm.is()) {
                disturb(end, checkpoint);
            }
            observations.processed(partition, end);
            if (!config.autoCommit() && (calm.is() || random.nextBoolean())) {
                checkpoint.commit();
            }
            next = end;
        }

        private void disturb(long end, Checkpoint checkpoint) throws Exception {
            switch (random.nextInt(12)) {
                case 0 -> machine.sleep(random.nextInt(3_000) * 1_000_000L);
                case 1 -> machine.sleep(random.nextInt(40) * SECOND);
                case 2 -> throw new IllegalStateException("made to fail");
                case 3 -> {
                    long before = next + random.nextInt((int) (end - next) + 1);
                    observations.processed(partition, before);
                    checkpoint.commitBefore(before);
                }
                default -> {}
            }
        }
    }

    static ConsumerConfig config(Random random, boolean startsAtEnd) {
        int[] balance = {500, 2_000, 10_000};
        return ConsumerConfig.builder()
                .start(startsAtEnd ? StartPosition.LATEST : StartPosition.EARLIEST)
                .maxFetchMessages(1 + random.nextInt(20))
                .maxAheadBytes(random.nextInt(3) * ConsumerConfig.defaults().maxFetchBytes())
                .autoCommit(random.nextInt(3) > 0)
                .commitInterval(Duration.ofMillis(200 + random.nextInt(5_000)))
                .commitMessages(1 + random.nextInt(30))
                .balanceInterval(Duration.ofMillis(balance[random.nextInt(balance.length)]))
                .closeTimeout(Duration.ofSeconds(random.nextInt(31)))
                .build();
    }
}
