// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.server.metadata.rows.group.GroupRecord;
import org.talos.server.metadata.rows.group.Groups;
import org.talos.server.runtime.time.Ticker;
import org.talos.server.service.call.ServiceName;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.GalaxyTalosException;
import org.talos.thrift.QueryTopicConsumeUnitRequest;
import org.talos.thrift.QueryTopicConsumeUnitResponse;
import org.talos.thrift.TopicTalosResourceName;

/** A topic with more groups than one call may take for all of them. */
@Timeout(60)
class TopicConsumersTest extends MessageFixture {
    private static final int PARTITIONS = 256;
    private static final int FEW = 100_000 / PARTITIONS;

    private final AtomicLong passed = new AtomicLong(); // beside real time, nanoseconds
    private volatile long nanosForEachLookAtTheClock;
    private TopicTalosResourceName wide;
    private String sentence = ""; // of the last refusal

    TopicConsumersTest() {
        Ticker real = ticker;
        InstantSource wall = clock;
        ticker = () -> real.nanos() + passed.get();
        clock = () -> {
            passed.addAndGet(nanosForEachLookAtTheClock);
            return Instant.ofEpochMilli(wall.millis());
        };
    }

    @BeforeEach
    void createWideTopic() throws Exception {
        wide = createTopic("wide", PARTITIONS).getTopicTalosResourceName();
    }

    private void addGroups(int from, int to) throws Exception {
        Groups groups = new Groups(metadata);
        String topicId = wide.getTopicTalosResourceName().split("#", -1)[2];
        for (int i = from; i < to; i++) {
            groups.save(topicId, "group-" + i, new GroupRecord("ann", Map.of(), Map.of(), Map.of()), 0);
        }
    }

    /** Its partitions are opened in the background: until then PARTITION_NOT_SERVING. */
    private Optional<ErrorCode> refusal() throws Exception {
        Optional<GalaxyTalosException> refusal = call(
                        ServiceName.METRIC, "queryTopicConsumeUnit", new QueryTopicConsumeUnitRequest(wide), ANN, GO)
                .read(new QueryTopicConsumeUnitResponse());
        refusal.ifPresent(each -> sentence = each.getErrMsg());
        return refusal.map(GalaxyTalosException::getErrorCode);
    }

    @Test
    void areNotAllDescribedAtOnce() throws Exception {
        addGroups(0, FEW);
        assertThat(refusal()).isNotEqualTo(Optional.of(ErrorCode.OPERATION_FAILED));
        addGroups(FEW, FEW + 1);

        assertThat(refusal()).contains(ErrorCode.OPERATION_FAILED);
        assertThat(sentence).contains("more than 100000").contains("getTopicConsumeUnit");
    }

    @Test
    void areReadUpToTheDeadlineOnly() throws Exception {
        addGroups(0, FEW);
        nanosForEachLookAtTheClock = TimeUnit.SECONDS.toNanos(1); // at least once a group

        assertThat(refusal()).contains(ErrorCode.REQUEST_PROCESS_TIMEOUT);
        assertThat(passed.get()).isLessThan(TimeUnit.SECONDS.toNanos(FEW / 2));
    }
}
