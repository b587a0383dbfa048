// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.stream;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.talos.client.TalosEndpoint;
import org.talos.server.testing.LogGaps;

/**
 * A producer and reader that does what docs/stream.md says: keeps what is not answered, sends it again under its
 * number, in order, and reads on behind what it has, on this stream or the next one. It fails on what a server may
 * never do.
 *
 * <p>Confined: the test, which calls {@link #step} until it has what it waits for.
 */
public final class ReturningClient implements AutoCloseable {
    private static final int ORDERED_AT = 1; // the flags of a put

    private final Callable<TalosEndpoint> server;
    private final String pathAndQuery;
    private final NavigableMap<Long, byte[]> unanswered = new TreeMap<>();
    private final Map<Long, Received.Place> stored = new TreeMap<>();
    private final Map<Integer, Long> next = new TreeMap<>(); // offset that is read next, by partition
    private final Map<Integer, List<String>> messages = new HashMap<>();
    private final Set<Integer> ended = new HashSet<>(); // partitions to be subscribed to again
    private final List<Integer> moves = new ArrayList<>(); // whether served further on: 1, or 0
    private @Nullable StreamClient stream;
    private CompletableFuture<?> sent = CompletableFuture.completedFuture(""); // the last that was sent
    private int underWay; // puts on this stream that are not answered
    private boolean goesBack; // all that is not answered is sent again, once nothing is under way
    private int opened;

    /** @param server asked each time that a stream is to be opened */
    public ReturningClient(Callable<TalosEndpoint> server, String pathAndQuery) {
        this.server = server;
        this.pathAndQuery = pathAndQuery;
    }

    /** Puts a message, after the one before it into the same partition. */
    public void put(int partition, long number, String text) {
        byte[] put = Sent.put(Sent.ORDERED, partition, number, text);
        unanswered.put(number, put);
        StreamClient open = stream;
        if (open != null && !goesBack) {
            send(open, put);
        }
    }

    /** Reads a partition from its beginning. */
    public void subscribe(int partition) {
        next.put(partition, 0L);
        ended.add(partition);
    }

    private void send(StreamClient open, byte[] put) {
        underWay++;
        sendNext(open, put);
    }

    /** The JDK refuses what is sent before the one in front of it has gone. */
    private void sendNext(StreamClient open, byte[] message) {
        sent = sent.handle((gone, failed) -> "").thenCompose(each -> open.sendLater(message));
    }

    /** Takes what has come, waiting so long for it, and does what is to be done. */
    public void step(long millis) throws Exception {
        StreamClient open = stream;
        if (open == null) {
            open();
            return;
        }
        Received message = open.poll(millis);
        if (message != null) {
            take(open, message);
        } else if (open.isClosed()) {
            stream = null;
        } else {
            List.copyOf(ended).forEach(partition -> subscribe(open, partition));
        }
        if (stream != null && goesBack && underWay == 0) {
            sendAll(open);
        }
    }

    private void subscribe(StreamClient open, int partition) {
        ended.remove(partition);
        sendNext(open, Sent.subscribe(partition, next.getOrDefault(partition, 0L)));
    }

    private void open() throws Exception {
        StreamClient open;
        try {
            open = StreamClient.open(server.call(), pathAndQuery);
        } catch (CompletionException e) {
            return; // not yet
        }
        opened++;
        stream = open;
        sent = CompletableFuture.completedFuture("");
        underWay = 0;
        ended.addAll(next.keySet());
        sendAll(open);
    }

    /** The first of each partition is in nobody's way. */
    private void sendAll(StreamClient open) {
        goesBack = false;
        Set<Integer> begun = new HashSet<>();
        for (byte[] put : unanswered.values()) {
            byte[] again = put.clone();
            if (begun.add(new Received(put).integer(4))) {
                again[ORDERED_AT] = 0;
            }
            send(open, again);
        }
    }

    private void take(StreamClient open, Received message) {
        switch (message.name()) {
            case "STORED" -> message.places().forEach(this::stored);
            case "REFUSED" -> refused(message);
            case "BLOCK" -> {
                read(message);
                sendNext(open, Sent.credit(message.bytes().length));
            }
            case "ENDED" -> {
                assertThat(message.problem().get("retryable").booleanValue())
                        .as("%s", message.problem())
                        .isTrue();
                ended.add(message.integer(4));
            }
            case "MOVE" -> moves.add((int) message.bytes()[1]);
            default -> assertThat(message.name()).isIn("OPENED", "CREDIT");
        }
    }

    private void stored(Received.Place place) {
        underWay--;
        assertThat(unanswered.remove(place.number())).as("asked for: %s", place).isNotNull();
        stored.put(place.number(), place);
    }

    private void refused(Received message) {
        underWay--;
        goesBack = true;
        boolean again = message.problem().get("retryable").booleanValue()
                || message.code().equals("put-before-refused")
                || message.problem().get("outcome").textValue().equals("unknown"); // under its number it is stored once
        assertThat(again).as("%s", message.problem()).isTrue();
    }

    /** Blocks of an earlier stream or subscription are those that were asked for then. */
    private void read(Received block) {
        int partition = block.integer(4);
        List<String> read = messages.computeIfAbsent(partition, each -> new ArrayList<>());
        for (String each : block.messages()) {
            long offset = Long.parseLong(each.substring(0, each.indexOf(' ')));
            long due = next.getOrDefault(partition, 0L);
            if (LogGaps.mayFollow(due, offset)) {
                read.add(each);
                next.put(partition, offset + 1);
            } else {
                assertThat(offset).as("nothing is left out").isLessThan(due);
            }
        }
    }

    /** Returns the offset of each put that has been answered, by its number. */
    public Map<Long, Long> offsets() {
        Map<Long, Long> offsets = new TreeMap<>();
        stored.forEach((number, place) -> offsets.put(number, place.offset()));
        return offsets;
    }

    /** Returns the messages that it has read of a partition, each as offset and text. */
    public List<String> messages(int partition) {
        return messages.getOrDefault(partition, List.of());
    }

    /** Returns whether nothing of what was put is to be answered. */
    public boolean isAnswered() {
        return unanswered.isEmpty();
    }

    /** Returns how often it has opened a stream. */
    public int opened() {
        return opened;
    }

    /** Returns how often it was asked to go to another server, and whether it was served further on: 1, or 0. */
    public List<Integer> moves() {
        return List.copyOf(moves);
    }

    /** Ends its stream without a word. */
    @Override
    public void close() {
        StreamClient open = stream;
        if (open != null) {
            open.close();
        }
    }
}
