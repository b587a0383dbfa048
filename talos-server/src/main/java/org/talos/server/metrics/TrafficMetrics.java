// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metrics;

import com.codahale.metrics.Counter;
import com.codahale.metrics.Histogram;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import org.talos.server.metrics.histogram.HdrReservoir;
import org.talos.server.metrics.histogram.HistogramWindow;
import org.talos.server.runtime.time.Ticker;

/**
 * The puts to and gets from the partitions that this server serves, over any protocol: by SDKs, REST, streams or other
 * servers.
 *
 * <p>Thread-safe. Recording takes no lock.
 */
public final class TrafficMetrics {
    /** The value for a get that waited for messages: its time says nothing. */
    public static final long WAITED = Long.MIN_VALUE;

    private final Ticker ticker;
    private final Counter puts;
    private final Counter putMessages;
    private final Counter putBytes;
    private final Counter gets;
    private final Counter getMessages;
    private final Counter getBytes;
    private final Counter paced;
    private final HdrReservoir putTimes;
    private final HdrReservoir getTimes;
    private final Histogram put;
    private final Histogram get;
    private volatile Map<String, Gets> watched = Map.of();

    /** The gets of one topic. Thread-safe. */
    private record Gets(LongAdder messages, LongAdder bytes) {}

    /** Registers the metrics. */
    public TrafficMetrics(Metrics metrics, Ticker ticker) {
        this.ticker = ticker;
        puts = metrics.counter("talos_puts_total", "", "Puts stored in partitions of this server.");
        putMessages = metrics.counter("talos_put_messages_total", "", "Messages put to partitions of this server.");
        putBytes = metrics.counter("talos_put_bytes_total", "", "Bytes of blocks put to partitions of this server.");
        gets = metrics.counter("talos_gets_total", "", "Gets from partitions of this server.");
        getMessages = metrics.counter(
                "talos_get_messages_total", "", "Messages of the blocks got from partitions of this server.");
        getBytes = metrics.counter("talos_get_bytes_total", "", "Bytes of blocks got from partitions of this server.");
        paced = metrics.counter(
                "talos_log_reads_paced_total",
                "",
                "Gets from storage that waited, for a second at most, as puts need the processors.");
        putTimes = new HdrReservoir(ticker);
        getTimes = new HdrReservoir(ticker);
        put = metrics.histogram(
                "talos_put_seconds",
                Unit.SECONDS,
                "From a put's arrival at its partition to its durability, of those that did not fail.",
                putTimes);
        get = metrics.histogram(
                "talos_get_seconds",
                Unit.SECONDS,
                "A get at its partition, of those that did not wait for messages.",
                getTimes);
    }

    /** Counts a get from storage that waits for its turn. */
    public void paced() {
        paced.inc();
    }

    /** Bytes of blocks put so far. */
    public long putBytes() {
        return putBytes.getCount();
    }

    /** Returns when a put or get begins, for {@link #stored} and {@link #got}. */
    public long begin() {
        return ticker.nanos();
    }

    /** Records a put that is durable. */
    public void stored(long begunNanos, long messages, long bytes) {
        put.update(ticker.nanos() - begunNanos);
        puts.inc();
        putMessages.inc(messages);
        putBytes.inc(bytes);
    }

    /**
     * Records a get that has found something, or nothing.
     *
     * @param begunNanos or {@link #WAITED}
     */
    public void got(String topicId, long begunNanos, long messages, long bytes) {
        if (begunNanos != WAITED) {
            get.update(ticker.nanos() - begunNanos);
        }
        gets.inc();
        getMessages.inc(messages);
        getBytes.inc(bytes);
        Gets ofTopic = watched.get(topicId);
        if (ofTopic != null) {
            ofTopic.messages.add(messages);
            ofTopic.bytes.add(bytes);
        }
    }

    /**
     * Counts gets from these topics separately from now on, and continues the counts of topics that were among them
     * before.
     */
    public void watch(Set<String> topicIds) {
        Map<String, Gets> next = new HashMap<>();
        Map<String, Gets> before = watched;
        topicIds.forEach(id -> next.put(id, before.getOrDefault(id, new Gets(new LongAdder(), new LongAdder()))));
        watched = next;
    }

    /** Messages got from a watched topic since it is watched; 0 if it is not. */
    public long messagesGotFrom(String topicId) {
        Gets gets = watched.get(topicId);
        return gets == null ? 0 : gets.messages.sum();
    }

    /** Bytes got from a watched topic since it is watched; 0 if it is not. */
    public long bytesGotFrom(String topicId) {
        Gets gets = watched.get(topicId);
        return gets == null ? 0 : gets.bytes.sum();
    }

    /**
     * All that was counted so far. Immutable.
     *
     * @param puts requests, as are gets
     */
    public record Totals(long puts, long putMessages, long putBytes, long gets, long getMessages, long getBytes) {}

    /** Returns the counts so far. */
    public Totals totals() {
        return new Totals(
                puts.getCount(),
                putMessages.getCount(),
                putBytes.getCount(),
                gets.getCount(),
                getMessages.getCount(),
                getBytes.getCount());
    }

    /** Returns a window on the durations of puts, for one reader. */
    public HistogramWindow putTimes() {
        return new HistogramWindow(putTimes);
    }

    /** Returns a window on the durations of gets that wait for nothing, for one reader. */
    public HistogramWindow getTimes() {
        return new HistogramWindow(getTimes);
    }
}
