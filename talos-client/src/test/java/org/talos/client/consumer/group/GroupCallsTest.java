// SPDX-License-Identifier: Apache-2.0
package org.talos.client.consumer.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.talos.client.ScriptedServer.done;
import static org.talos.client.ScriptedServer.result;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.client.ClientConfig;
import org.talos.client.ScriptedServer;
import org.talos.client.TalosClient;
import org.talos.client.transport.PartitionRef;
import org.talos.thrift.TopicsRenewResponse;
import org.talos.thrift.UnlockPartitionRequest;

/** Tests a member's calls and how it reads their answers, against a server that answers by a script. */
@Timeout(90)
class GroupCallsTest {
    private static final TopicRef ORDERS = new TopicRef("orders", "me#orders#1", 2);
    private static final TopicRef RETURNS = new TopicRef("returns", "me#returns#1", 1);
    private static final PartitionRef LOST = ORDERS.partition(1);

    private ScriptedServer server;
    private TalosClient client;
    private GroupCalls group;

    @BeforeEach
    void start() throws IOException {
        server = new ScriptedServer();
        client = new TalosClient(ClientConfig.of(server.uri(), "AKTEST", "a-secret"));
        group = new GroupCalls(client.calls(), "shop", "me", true);
    }

    @AfterEach
    void stop() {
        client.close();
        server.close();
    }

    private GroupCalls.Renewal renew() throws Exception {
        return group.renew(List.of(ORDERS, RETURNS), () -> Set.of(ORDERS.partition(0), LOST), Duration.ofSeconds(20));
    }

    /** Members of the Go SDK have to give up everything then; this one knows which partition it is. */
    @Test
    void heartbeatThatIsRecordedCountsThoughAnotherHoldsAPartition() throws Exception {
        server.then(result(new TopicsRenewResponse(false, List.of(LOST.toThrift())).setRecorded(true)));

        assertThat(renew()).isEqualTo(new GroupCalls.Renewal(true, Set.of(LOST)));
    }

    @Test
    void heartbeatThatIsNotRecordedDoesNotCount() throws Exception {
        server.then(result(new TopicsRenewResponse(false, List.of(LOST.toThrift()))));

        assertThat(renew().alive()).isFalse();
    }

    /** It has a call to leave: until then the others continue counting it. */
    @Test
    void memberThatReleasesAPartitionSaysThatItStays() throws Exception {
        server.then(done());

        group.unlock(LOST, () -> {});

        assertThat(server.asked())
                .singleElement()
                .satisfies(each -> assertThat(
                                each.request(new UnlockPartitionRequest()).isStaysMember())
                        .isTrue());
    }
}
