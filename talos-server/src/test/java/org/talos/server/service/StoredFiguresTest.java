// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.talos.server.config.ServerConfig.TopicMetricsConfig;
import org.talos.server.metadata.cache.TopicDirectory;
import org.talos.server.metadata.rows.group.CommittedOffset;
import org.talos.server.metadata.rows.group.Offsets;
import org.talos.server.metadata.rows.topic.Topics;
import org.talos.server.metrics.Metrics;
import org.talos.server.metrics.PrometheusText;
import org.talos.server.metrics.TopicMetrics;
import org.talos.server.metrics.TrafficMetrics;
import org.talos.server.service.call.ServiceName;
import org.talos.server.service.history.StoredFigures;
import org.talos.thrift.CreateTopicRequest;
import org.talos.thrift.MessageCompressionType;
import org.talos.thrift.PutMessageResponse;
import org.talos.thrift.TopicAttribute;

/** Tests the sums of a server over its partitions, and the metrics of topics, over real logs. */
class StoredFiguresTest extends MessageFixture {
    private final Metrics own = new Metrics(ticker);
    private Offsets offsets;
    private String topicId;

    @BeforeEach
    void find() {
        offsets = new Offsets(metadata);
        topicId = topicId(partition);
    }

    private StoredFigures figures(String topics, int maxTopics) throws Exception {
        return new StoredFigures(
                partitions,
                TopicDirectory.load(new Topics(metadata)),
                offsets,
                new TrafficMetrics(own, ticker),
                new TopicMetrics(own),
                new TopicMetricsConfig(topics, maxTopics, Duration.ofSeconds(15)),
                ticker);
    }

    private String exported() {
        return new PrometheusText(own).write();
    }

    private void put(String text) throws Exception {
        assertThat(call(ServiceName.MESSAGE, "putMessage", put(text, MessageCompressionType.NONE), ANN, GO)
                        .read(new PutMessageResponse()))
                .isEmpty();
    }

    private void commit(String group, int number, long offset) throws Exception {
        offsets.save(topicId, group, number, new CommittedOffset(offset, "w", 1), 0);
    }

    @Test
    void bytesAndLagOfAllGroupsAreAddedUp() throws Exception {
        put("a");
        put("b");
        put("c");
        commit("shop", 0, 0);
        commit("audit", 0, -1);
        StoredFigures figures = figures("", 100);
        assertThat(figures.bytes()).isNaN();

        figures.round();

        assertThat(figures.bytes()).isPositive();
        assertThat(figures.lag()).isEqualTo(2 + 3);
        assertThat(exported()).as("nobody has asked").doesNotContain("talos_topic_", "talos_group_");
    }

    @Test
    void lagOfMoreCheckpointsThanAreReadIsNotKnown() throws Exception {
        put("a");
        for (int i = 0; i < StoredFigures.MOST_CHECKPOINTS; i++) {
            commit("group-" + i, 0, -1);
        }
        StoredFigures figures = figures("", 100);
        figures.round();
        assertThat(figures.lag()).isEqualTo(StoredFigures.MOST_CHECKPOINTS);

        commit("one-more", 0, -1);
        figures.round();

        assertThat(figures.lag()).isNaN();
    }

    @Test
    void metricsOfATopicGrowWithWhatIsPutAndNeverShrink() throws Exception {
        put("a");
        commit("shop", 0, -1);
        StoredFigures figures = figures("orders", 100);
        figures.round();
        assertThat(exported())
                .contains("talos_topic_put_messages_total{topic=\"orders\"} 0", "{group=\"shop\",topic=\"orders\"} 1");

        put("b");
        put("c");
        figures.round();

        assertThat(exported())
                .contains("talos_topic_put_messages_total{topic=\"orders\"} 2")
                .contains("talos_topic_messages{topic=\"orders\"} 3")
                .contains("talos_group_lag{group=\"shop\",topic=\"orders\"} 3");
    }

    @Test
    void onlyTheFirstTopicsByNameAreShownAndTenTimesAsManyGroups() throws Exception {
        TopicAttribute attribute = new TopicAttribute();
        attribute.setPartitionNumber(1);
        attribute.setMessageRetentionSecs(86_400);
        call(ServiceName.TOPIC, "createTopic", new CreateTopicRequest("a-topic", attribute), ANN, GO);
        for (int i = 0; i < 12; i++) {
            commit("group-" + i, 0, -1);
        }

        figures("*", 1).round();
        assertThat(exported()).contains("topic=\"a-topic\"").doesNotContain("topic=\"orders\"");
    }

    @Test
    void groupsOfATopicAreBounded() throws Exception {
        for (int i = 0; i < 12; i++) {
            commit("group-" + i, 0, -1);
        }

        figures("orders", 1).round();

        assertThat(exported().lines().filter(line -> line.startsWith("talos_group_lag{")))
                .hasSize(10);
    }
}
