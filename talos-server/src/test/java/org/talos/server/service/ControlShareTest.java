// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.server.auth.Principal;
import org.talos.server.cluster.ClusterMember;
import org.talos.server.cluster.Location;
import org.talos.server.log.LogFailures;
import org.talos.server.service.call.ServiceAnswer;
import org.talos.server.service.call.ServiceName;
import org.talos.thrift.DescribeTopicRequest;
import org.talos.thrift.DescribeTopicResponse;
import org.talos.thrift.ErrorCode;

/**
 * Tests the share that one user's flood of calls leaves to others, in a pool whose only worker waits for another
 * server.
 */
@Timeout(60)
class ControlShareTest extends MessageFixture {
    @Override
    Map<String, String> settings() {
        return Map.of(
                "TALOS_DISPATCH_CONTROL_WORKERS", "1",
                "TALOS_DISPATCH_CONTROL_MAXWAITING", "20",
                "TALOS_DISPATCH_CONTROL_MAXWAITINGPERKEY", "2");
    }

    @BeforeEach
    void hang() throws Exception {
        coordinator.place(0, new Location.There(new ClusterMember("two", "127.0.0.1:8082", "127.0.0.1:9082")));
        other.hang();
        var unused = describe("orders", ANN);
        // Before, the worker might begin in the middle of what follows, and take some of that with it.
        await().until(() -> !other.hops().isEmpty());
    }

    @AfterEach
    void giveUp() {
        other.giveUp(LogFailures.notServing());
    }

    private CompletableFuture<ServiceAnswer> describe(String topic, Principal caller) throws Exception {
        return send(ServiceName.TOPIC, "describeTopic", new DescribeTopicRequest(topic), caller, GO);
    }

    private void flood(List<String> topics) throws Exception {
        List<CompletableFuture<ServiceAnswer>> all = new ArrayList<>();
        for (String topic : topics) {
            all.add(describe(topic, ANN));
        }
        assertThat(code(all.get(all.size() - 1))).isEqualTo(ErrorCode.EXCESSIVE_PENDING_MESSAGE);
    }

    private static ErrorCode code(CompletableFuture<ServiceAnswer> answer) throws Exception {
        return new Answer("describeTopic", answer.get(20, TimeUnit.SECONDS))
                .read(new DescribeTopicResponse())
                .orElseThrow()
                .getErrorCode();
    }

    /** It has no right to the topic, and learns that once its turn has come. */
    private void assertRuns(CompletableFuture<ServiceAnswer> call) throws Exception {
        assertThat(call).isNotDone();
        giveUp();
        assertThat(call).succeedsWithin(Duration.ofSeconds(20));
        assertThat(code(call)).isEqualTo(ErrorCode.PERMISSION_DENIED_ERROR);
    }

    @Test
    void callsOfOneUserLeavePlacesToOthers() throws Exception {
        flood(IntStream.range(0, 40).mapToObj(each -> "topic-" + each).toList());

        assertRuns(describe("orders", BOB));
    }

    @Test
    void callsOfOneUserAboutATopicLeaveThoseOfOthersAboutItTheirs() throws Exception {
        flood(IntStream.range(0, 5).mapToObj(each -> "orders").toList());

        assertRuns(describe("orders", BOB));
    }
}
