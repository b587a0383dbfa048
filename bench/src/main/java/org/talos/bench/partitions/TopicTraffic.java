// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.partitions;

import static org.talos.bench.report.Text.format;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.talos.bench.partitions.PartitionedTopics.Place;
import org.talos.client.TalosClientException;
import org.talos.client.TalosEndpoint;
import org.talos.client.admin.NewTopic;
import org.talos.client.admin.TalosAdmin;

/** Makes topics, puts a message into some of their partitions, and reads these again. Confined: the main thread. */
final class TopicTraffic {
    private static final int AT_ONCE = 8;
    private static final int TRIES = 10;
    private static final long PAUSE_MILLIS = 200;
    private static final long PAUSE_OF_FAILURE_MILLIS = 1_000;

    private final TimedRequests requests;
    private final PartitionedTopics topics;
    private final List<Place> filled;
    private final Lines lines;

    /** @param step a message is put into each so manieth partition */
    TopicTraffic(TimedRequests requests, PartitionedTopics topics, int step, Lines lines) {
        this.requests = requests;
        this.topics = topics;
        this.lines = lines;
        filled = topics.each(step);
    }

    /** The partitions with a message. */
    List<Place> filled() {
        return filled;
    }

    /** Makes all topics, so many at once. One whose partitions do not open in time is made again. */
    void create(TalosAdmin admin, int atOnce) throws IOException, InterruptedException {
        long begun = System.nanoTime();
        AtomicInteger again = new AtomicInteger();
        Together.each(topics.names(), atOnce, (name, number) -> {
            NewTopic wanted = NewTopic.of(name, topics.share(number));
            for (int tries = 1; !isMade(admin, wanted, tries); tries++) {
                again.incrementAndGet();
                Thread.sleep(PAUSE_OF_FAILURE_MILLIS);
            }
        });
        lines.seconds(
                "create",
                begun,
                format(
                        "for %d topics of %d partitions in all, %d at a time, %d of them tried again",
                        topics.topics(), topics.partitions(), atOnce, again.get()));
    }

    private static boolean isMade(TalosAdmin admin, NewTopic wanted, int tries) throws TalosClientException {
        try {
            var unused = admin.createTopic(wanted);
            return true;
        } catch (TalosClientException e) {
            if (tries >= TRIES) {
                throw e;
            }
            return isServed(admin, wanted.name()); // made later than its client waited
        }
    }

    private static boolean isServed(TalosAdmin admin, String topic) {
        try {
            var unused = admin.describeTopic(topic);
            return true;
        } catch (TalosClientException e) {
            return false; // the next try says why
        }
    }

    /** Puts the first messages. */
    void put(List<TalosEndpoint> servers) throws IOException, InterruptedException {
        long begun = System.nanoTime();
        Together.each(filled, AT_ONCE, (place, number) -> {
            var unused = requests.put(servers.get(number % servers.size()), place.messages())
                    .good();
        });
        lines.seconds("first puts", begun, format("for %d, a message each, %d at a time", filled.size(), AT_ONCE));
    }

    /** Reads the first messages; each has to be there. */
    void read(TalosEndpoint server) throws IOException, InterruptedException {
        Together.each(filled, AT_ONCE, (place, number) -> {
            var unused = requests.get(server, first(place)).good();
        });
    }

    private static String first(Place place) {
        return place.messages() + "?from=0&maxMessages=1";
    }

    /** The times at which the first and the last of some partitions answered, in seconds. Immutable. */
    record Span(double first, double last) {}

    /** Asks for the messages of partitions until each has answered once. */
    Span awaitAnswers(TalosEndpoint server, List<Place> places, long sinceNanos, Duration patience)
            throws IOException, InterruptedException {
        double first = Double.NaN;
        double last = Double.NaN;
        Deque<Place> silent = new ArrayDeque<>(places);
        while (!silent.isEmpty()) {
            for (int left = silent.size(); left > 0; left--) {
                Place place = silent.removeFirst();
                if (requests.get(server, first(place)).status() == 200) {
                    last = Lines.seconds(sinceNanos);
                    first = Double.isNaN(first) ? last : first;
                } else {
                    silent.addLast(place);
                }
            }
            if (!silent.isEmpty() && Lines.seconds(sinceNanos) > patience.toSeconds()) {
                throw new IOException(
                        silent.size() + " partitions do not answer after " + patience.toMinutes() + " min");
            }
            Thread.sleep(PAUSE_MILLIS);
        }
        return new Span(first, last);
    }
}
