// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.talos.server.service.ControlFixture.ALICE;
import static org.talos.server.service.ControlFixture.assertRefused;
import static org.talos.server.service.ControlFixture.partition;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.talos.common.error.Effect;
import org.talos.common.error.TalosException;
import org.talos.server.service.ControlFixture;
import org.talos.server.service.call.CallDeadline;
import org.talos.server.service.call.Caller;
import org.talos.thrift.CheckPoint;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.QueryOrgOffsetRequest;
import org.talos.thrift.QueryWorkerRequest;
import org.talos.thrift.TopicTalosResourceName;
import org.talos.thrift.TopicsConsumeUnit;
import org.talos.thrift.TopicsLockWorkerRequest;
import org.talos.thrift.TopicsQueryWorkerRequest;
import org.talos.thrift.TopicsRenewRequest;
import org.talos.thrift.UpdateOffsetRequest;

/** Calls that read or change one row after another end with their deadline, and have a bound of topics. */
final class ConsumerDeadlineTest {
    private static final int TOPICS = 3;

    @TempDir
    private Path data;

    private final List<TopicTalosResourceName> topics = new ArrayList<>();
    private ControlFixture server;

    @BeforeEach
    void open() throws Exception {
        server = new ControlFixture(data);
        for (int i = 0; i < TOPICS; i++) {
            topics.add(server.create(ALICE, "CL1/orders" + i));
        }
    }

    @AfterEach
    void close() {
        server.close();
    }

    /** The deadline passes with so many looks at the clock. */
    private static Caller after(int looks) {
        AtomicLong clock = new AtomicLong();
        return ALICE.by(new CallDeadline(clock::incrementAndGet, looks + 1L));
    }

    private static void assertTimeout(Effect effect, ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOfSatisfying(TalosException.class, e -> {
            assertThat(e.code()).isEqualTo(ErrorCode.REQUEST_PROCESS_TIMEOUT);
            assertThat(e.effect()).isEqualTo(effect);
        });
    }

    private TopicsRenewRequest renewal() {
        Map<String, List<Integer>> held = new TreeMap<>();
        topics.forEach(topic -> held.put(topic.getTopicTalosResourceName(), List.of(0)));
        return new TopicsRenewRequest(new TopicsConsumeUnit("group", held, "a", ""));
    }

    private int registered() throws Exception {
        int registered = 0;
        for (TopicTalosResourceName topic : topics) {
            registered += server.consumers
                    .queryWorker(ALICE, new QueryWorkerRequest("group", topic))
                    .getWorkerMapSize();
        }
        return registered;
    }

    @Test
    void registrationStopsAtTheDeadlineAndTellsWhetherItHasBegun() throws Exception {
        TopicsLockWorkerRequest request = new TopicsLockWorkerRequest("group", topics, "a", "");

        assertTimeout(Effect.NONE, () -> server.severalTopics.lockWorkerForTopics(after(TOPICS), request));
        assertThat(registered()).isZero();
        assertTimeout(Effect.UNKNOWN, () -> server.severalTopics.lockWorkerForTopics(after(TOPICS + 1), request));
        assertThat(registered()).isEqualTo(1);
        server.severalTopics.lockWorkerForTopics(after(2 * TOPICS), request);
        assertThat(registered()).isEqualTo(TOPICS);
    }

    @Test
    void renewalStopsAtTheDeadlineAndTellsWhetherItHasBegun() throws Exception {
        assertTimeout(Effect.NONE, () -> server.severalTopics.renewForTopics(after(0), renewal()));
        assertThat(registered()).isZero();
        assertTimeout(Effect.UNKNOWN, () -> server.severalTopics.renewForTopics(after(1), renewal()));
        assertThat(registered()).isEqualTo(1);
        assertThat(server.severalTopics.renewForTopics(after(TOPICS), renewal()).isHeartbeatSuccess())
                .isTrue();
    }

    @Test
    void readingOfWorkersStopsAtTheDeadline() throws Exception {
        TopicsQueryWorkerRequest query = new TopicsQueryWorkerRequest("group", topics, "");

        assertTimeout(Effect.NONE, () -> server.severalTopics.queryWorkerForTopics(after(TOPICS - 1), query));
        assertThat(server.severalTopics
                        .queryWorkerForTopics(after(TOPICS), query)
                        .getWorkerMap())
                .isEmpty();
    }

    @Test
    void offsetsOfAnOrgAreReadUpToTheDeadline() throws Exception {
        for (String group : List.of("group1", "group2")) {
            server.consumers.updateOffset(
                    ALICE, new UpdateOffsetRequest(new CheckPoint(group, partition(topics.get(0), 0), 7, "a")));
        }
        QueryOrgOffsetRequest query = new QueryOrgOffsetRequest("gr", "CL1");

        assertTimeout(Effect.NONE, () -> server.consumers.queryOrgOffset(after(1), query));
        assertThat(server.consumers.queryOrgOffset(after(2), query).getConsumerGroupOffsetMapSize())
                .isEqualTo(2);
    }

    @Test
    void moreTopicsThanOneCallMayNameAreRefused() {
        List<TopicTalosResourceName> many = new ArrayList<>();
        Map<String, List<Integer>> held = new TreeMap<>();
        for (int i = 0; i <= TopicsConsumerCalls.MAX_TOPICS; i++) {
            many.add(new TopicTalosResourceName("u#t" + i + "#0"));
            held.put("u#t" + i + "#0", List.of());
        }

        assertRefused(
                ErrorCode.INVALID_TOPIC_PARAMS,
                () -> server.severalTopics.lockWorkerForTopics(
                        ALICE, new TopicsLockWorkerRequest("group", many, "a", "")));
        assertRefused(
                ErrorCode.INVALID_TOPIC_PARAMS,
                () -> server.severalTopics.queryWorkerForTopics(
                        ALICE, new TopicsQueryWorkerRequest("group", many, "")));
        assertRefused(
                ErrorCode.INVALID_TOPIC_PARAMS,
                () -> server.severalTopics.renewForTopics(
                        ALICE, new TopicsRenewRequest(new TopicsConsumeUnit("group", held, "a", ""))));
    }
}
