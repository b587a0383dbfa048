// SPDX-License-Identifier: Apache-2.0
package org.talos.server.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.talos.server.transfer.TransferFixture.TICKER;
import static org.talos.server.transfer.TransferFixture.at;
import static org.talos.server.transfer.TransferFixture.block;
import static org.talos.server.transfer.TransferFixture.config;
import static org.talos.server.transfer.TransferFixture.read;
import static org.talos.server.transfer.TransferFixture.result;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.server.cluster.ClusterMember;
import org.talos.server.cluster.Location;
import org.talos.server.log.Slice;
import org.talos.server.partition.serving.ForwardContext;
import org.talos.server.partition.serving.LongWaits;
import org.talos.server.partition.serving.MessageReads;
import org.talos.server.partition.serving.PartitionRoutes;
import org.talos.server.service.PlacedCoordinator;
import org.talos.server.storage.LogId;
import org.talos.server.transfer.HeldRequests.Held;
import org.talos.server.transfer.client.Transfer;

/** Waiting members of one user's groups leave room to others, between two servers with the default bounds. */
@Timeout(60)
class WaitingMembersTest {
    private static final int MEMBERS = 8;
    private static final int PARTITIONS = 256;
    private static final LogId BOBS = new LogId("fedcba9876543210fedcba9876543210", 0);

    private final TransferFixture fixture = new TransferFixture();
    private final HeldRequests there = new HeldRequests();
    private final LongWaits waits = new LongWaits();

    @AfterEach
    void close() throws Exception {
        there.close();
        fixture.close();
    }

    @SuppressWarnings("NullAway") // no partition is this server's
    private PartitionRoutes routes() throws Exception {
        Transfer transfer = fixture.transfer(config(0, 2_000));
        ClusterMember other = at("b", fixture.server(there).port());
        MessageReads reads = new MessageReads(null, null, null, fixture.timers, TICKER, waits);
        PlacedCoordinator coordinator = new PlacedCoordinator();
        coordinator.place(new Location.There(other));
        return new PartitionRoutes(coordinator, null, reads, transfer::to, TICKER, waits);
    }

    private static Map<LogId, Long> ends(int member) {
        Map<LogId, Long> ends = new HashMap<>();
        for (int partition = 0; partition < PARTITIONS; partition++) {
            ends.put(new LogId("0123456789abcdef0123456789abcde" + member, partition), 17L);
        }
        return ends;
    }

    @Test
    void othersLongPollsAreForwardedWhileOneUsersMembersWait() throws Exception {
        PartitionRoutes routes = routes();
        long untilNanos = TICKER.nanos() + Duration.ofSeconds(30).toNanos();
        for (int member = 0; member < MEMBERS; member++) {
            var unused = routes.awaitAny(ends(member), untilNanos, "ann");
        }

        CompletionStage<Slice> poll =
                routes.to(BOBS).to().read(BOBS, read(Duration.ofSeconds(20)), new ForwardContext("bob", untilNanos));
        Held asked = there.next();
        while (!asked.context().caller().equals("bob")) {
            assertThat(poll.toCompletableFuture()).isNotDone();
            asked = there.next();
        }
        Slice message = new Slice(List.of(block(17, new byte[] {1})), 0, 18);
        asked.answer().complete(message);

        assertThat(result(poll).durableEnd()).isEqualTo(18);
    }
}
