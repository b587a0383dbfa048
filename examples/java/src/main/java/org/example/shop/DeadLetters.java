// SPDX-License-Identifier: Apache-2.0
package org.example.shop;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.talos.client.consumer.Checkpoint;
import org.talos.client.consumer.FetchedMessage;
import org.talos.client.consumer.MessageProcessor;
import org.talos.client.producer.OutgoingMessage;
import org.talos.client.producer.TalosProducer;

/**
 * Gives each message to a handler, several times if that fails, and puts it to another topic if it has failed each
 * time. The group then continues with the next message.
 *
 * <p>A dead letter has the message's body, key and headers, and says in further headers where it was and why it failed.
 * If it cannot be put, {@link #process} fails, and the consumer gives the messages again: none is lost. After a crash a
 * message may be handled again, and a letter be put twice. {@code dead-letter-from} is the same then.
 *
 * <p>Thread-safe if the handler is.
 */
final class DeadLetters implements MessageProcessor {
    private static final int LONGEST_REASON = 1_000; // characters; a header has up to 8 KiB

    private final Handler handler;
    private final int attempts;
    private final Duration pause;
    private final TalosProducer letters;

    /** Handles one message. It may be called again for a message that it has handled. */
    @FunctionalInterface
    interface Handler {
        void handle(FetchedMessage message) throws Exception;
    }

    /**
     * @param attempts 1 or more
     * @param pause between two attempts
     * @param letters of the topic for messages that have failed
     */
    DeadLetters(Handler handler, int attempts, Duration pause, TalosProducer letters) {
        this.handler = handler;
        this.attempts = attempts;
        this.pause = pause;
        this.letters = letters;
    }

    @Override
    public void process(List<FetchedMessage> messages, Checkpoint checkpoint) throws Exception {
        for (FetchedMessage message : messages) {
            handle(message);
        }
    }

    private void handle(FetchedMessage message) throws Exception {
        for (int attempt = 1; ; attempt++) {
            try {
                handler.handle(message);
                return;
            } catch (InterruptedException e) {
                throw e; // the program ends; the message has not failed
            } catch (Exception e) {
                if (attempt == attempts) {
                    put(message, e);
                    return;
                }
            }
            TimeUnit.NANOSECONDS.sleep(pause.toNanos());
        }
    }

    private void put(FetchedMessage message, Exception reason) throws Exception {
        String place = message.topic() + "/" + message.partition() + "/" + message.offset();
        OutgoingMessage letter = OutgoingMessage.of(message.body());
        if (message.key().isPresent()) {
            letter = letter.withKey(message.key().get());
        }
        for (String name : message.headers().keySet()) {
            letter = letter.withHeader(name, message.headerBytes(name).orElseThrow());
        }
        String text = reason.toString();
        letter = letter.withHeader("dead-letter-from", place)
                .withHeader("dead-letter-attempts", Integer.toString(attempts))
                .withHeader("dead-letter-reason", text.substring(0, Math.min(text.length(), LONGEST_REASON)));
        letters.send(letter).get();
        System.out.println("dead letter: " + place + ", " + text);
    }
}
