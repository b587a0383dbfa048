// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.topic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.talos.server.service.ControlFixture.ALICE;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.talos.common.error.TalosException;
import org.talos.server.memory.MemoryBudget;
import org.talos.server.memory.RequestMemory;
import org.talos.server.service.ControlFixture;
import org.talos.server.service.call.AnswerMemory;
import org.talos.server.service.call.Caller;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.GetTopicAttributeRequest;
import org.talos.thrift.ListTopicsInfoResponse;
import org.talos.thrift.TopicAttribute;

class TopicAnswerMemoryTest {
    private static final int TOPICS = 4;
    private static final int ATTRIBUTE_BYTES = 7 * 4_096;

    @TempDir
    private Path data;

    private ControlFixture fixture;

    @BeforeEach
    void open() throws Exception {
        fixture = new ControlFixture(data.resolve("rows"));
        Map<String, String> attributes = new HashMap<>();
        for (int i = 0; i < 7; i++) {
            attributes.put("key" + i, "v".repeat(4_096));
        }
        for (int i = 0; i < TOPICS; i++) {
            TopicAttribute large = new TopicAttribute().setPartitionNumber(1).setAttributes(attributes);
            fixture.create(ALICE, "topic" + i, large);
        }
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    private static Caller caller(RequestMemory memory) {
        return new Caller(ALICE.principal(), "test", new AnswerMemory(memory));
    }

    private static void assertRefused(ErrorCode code, String sentence, ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOfSatisfying(TalosException.class, e -> {
            assertThat(e.code()).isEqualTo(code);
            assertThat(e.getMessage()).contains(sentence);
        });
    }

    @Test
    void allAttributesThatNeverFitAreRefusedBeforeTheyAreReadAndNamesAreListed() throws Exception {
        MemoryBudget budget = new MemoryBudget(3L * TOPICS * ATTRIBUTE_BYTES);
        RequestMemory memory = new RequestMemory(budget.of("alice"));
        fixture.store.failReads(1); // a read would fail the call otherwise

        assertRefused(
                ErrorCode.REQUEST_TOO_LARGE, "describe each topic", () -> fixture.views.listTopicsInfo(caller(memory)));
        assertThat(budget.used()).isZero();

        fixture.store.failReads(0);
        assertThat(fixture.views.listTopics(caller(memory)).getTopicInfos()).hasSize(TOPICS);
        assertThat(fixture.views
                        .getTopicAttribute(caller(memory), new GetTopicAttributeRequest("topic1"))
                        .getTopicAttribute()
                        .getAttributes())
                .hasSize(7);
    }

    @Test
    void secondAnswerAtOnceIsRefusedUntilTheFirstHasBeenWritten() throws Exception {
        MemoryBudget budget = new MemoryBudget(6L * TOPICS * ATTRIBUTE_BYTES);
        RequestMemory first = new RequestMemory(budget.of("alice"));
        ListTopicsInfoResponse answer = fixture.views.listTopicsInfo(caller(first));
        assertThat(answer.getTopicList()).hasSize(TOPICS);
        assertThat(budget.used()).isGreaterThan(2L * TOPICS * ATTRIBUTE_BYTES);

        RequestMemory second = new RequestMemory(budget.of("alice"));
        assertRefused(
                ErrorCode.EXCESSIVE_PENDING_MESSAGE, "try again", () -> fixture.views.listTopicsInfo(caller(second)));

        first.close();
        assertThat(fixture.views.listTopicsInfo(caller(second)).getTopicList()).hasSize(TOPICS);
    }
}
