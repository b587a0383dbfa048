// SPDX-License-Identifier: Apache-2.0
package org.example.shop;

import java.time.Duration;
import org.springframework.context.SmartLifecycle;
import org.springframework.stereotype.Component;
import org.talos.client.TalosClientException;
import org.talos.client.consumer.TalosConsumer;

/**
 * Starts the consumer after everything else, and closes it before everything else. So its processor has the database
 * for as long as it runs. On SIGTERM the processor finishes the messages that it has, they are committed, and the
 * partitions go to other members at once.
 */
@Component
class ConsumerLifecycle implements SmartLifecycle { // its phase is the last one to start and the first one to stop
    private static final Duration DEADLINE = Duration.ofSeconds(20); // less than Spring waits: 25 s

    private final TalosConsumer consumer;
    private volatile boolean running;

    ConsumerLifecycle(TalosConsumer consumer) {
        this.consumer = consumer;
    }

    @Override
    public void start() {
        try {
            consumer.start();
        } catch (TalosClientException e) {
            throw new IllegalStateException("the consumer cannot start: " + e.getMessage(), e);
        }
        running = true;
    }

    @Override
    public void stop() {
        running = false;
        consumer.close(DEADLINE);
    }

    @Override
    public boolean isRunning() {
        return running;
    }
}
