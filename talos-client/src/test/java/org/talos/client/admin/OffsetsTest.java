// SPDX-License-Identifier: Apache-2.0
package org.talos.client.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.talos.client.ScriptedServer.result;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.client.ClientConfig;
import org.talos.client.ScriptedServer;
import org.talos.client.TalosClient;
import org.talos.thrift.GetTopicOffsetResponse;
import org.talos.thrift.OffsetInfo;

/** The protocol names the last message, the SDK one past it. */
@Timeout(60)
class OffsetsTest {
    private static OffsetInfo offsets(int partition, long start, long last) {
        return new OffsetInfo(partition).setStartOffset(start).setEndOffset(last);
    }

    @Test
    void endOfAPartitionIsOnePastItsNewestMessage() throws Exception {
        TopicDescription topic = new TopicDescription("orders", "me#orders#1", "me", 2, Duration.ofDays(1));
        try (ScriptedServer server = new ScriptedServer();
                TalosClient client = new TalosClient(ClientConfig.of(server.uri(), "AKTEST", "a-secret"))) {
            server.otherwise(result(new GetTopicOffsetResponse(List.of(offsets(0, 3, 9), offsets(1, 5, 4)))));
            TalosAdmin admin = new TalosAdmin(client);

            assertThat(admin.offsets(topic))
                    .containsExactly(new PartitionOffsets(0, 3, 10), new PartitionOffsets(1, 5, 5))
                    .isEqualTo(admin.knownOffsets(topic));
            assertThat(admin.offsets(topic))
                    .extracting(PartitionOffsets::messages)
                    .containsExactly(7L, 0L);
        }
    }
}
