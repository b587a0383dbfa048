// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metrics;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import org.talos.server.metrics.Described.Kind;

/**
 * The metrics of topics and groups that an operator has enabled. Their labels hold values that clients chose, so there
 * are none by default, and never more than a limit.
 *
 * <p>Thread-safe.
 */
public final class TopicMetrics {
    private volatile List<Described> published = List.of();

    /** Registers the metrics; there are none yet. */
    public TopicMetrics(Metrics metrics) {
        metrics.addSource(() -> published);
    }

    /**
     * A topic, as far as this server serves its partitions. Immutable.
     *
     * @param puts since this server began to look at it, as the gets
     * @param lags of its groups, in messages
     */
    public record Figures(
            String topic, long bytes, long messages, Traffic puts, Traffic gets, SortedMap<String, Long> lags) {}

    /** The messages of a topic that were put, or got. Immutable. */
    public record Traffic(long messages, long bytes) {}

    /** Shows these topics, and no others any more. */
    public void publish(List<Figures> topics) {
        List<Described> next = new ArrayList<>();
        for (Figures each : topics) {
            String labels = "topic=\"" + escaped(each.topic) + "\"";
            gauge(next, "talos_topic_bytes", labels, "Stored bytes of a topic.", each.bytes);
            gauge(next, "talos_topic_messages", labels, "Stored messages of a topic.", each.messages);
            counter(next, "talos_topic_put_messages_total", labels, "Messages put to a topic.", each.puts.messages);
            counter(next, "talos_topic_put_bytes_total", labels, "Bytes put to a topic.", each.puts.bytes);
            counter(next, "talos_topic_get_messages_total", labels, "Messages got from a topic.", each.gets.messages);
            counter(next, "talos_topic_get_bytes_total", labels, "Bytes got from a topic.", each.gets.bytes);
            each.lags.forEach((group, lag) -> gauge(
                    next,
                    "talos_group_lag",
                    "group=\"" + escaped(group) + "\"," + labels,
                    "Messages of a topic that a group has not committed, in partitions that it has committed in.",
                    lag));
        }
        published = List.copyOf(next);
    }

    private static void gauge(List<Described> to, String name, String labels, String help, long value) {
        to.add(new Described(name, labels, help, Kind.GAUGE, Unit.TASKS, null, () -> value));
    }

    private static void counter(List<Described> to, String name, String labels, String help, long value) {
        to.add(new Described(name, labels, help, Kind.COUNTER, Unit.TASKS, null, () -> value));
    }

    private static String escaped(String label) {
        return label.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
    }
}
