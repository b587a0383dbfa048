// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.talos.common.error.TalosException;
import org.talos.server.auth.Principal;
import org.talos.server.cluster.ClusterMember;
import org.talos.server.cluster.Location;
import org.talos.server.runtime.client.Presence;
import org.talos.server.service.call.CallContext;
import org.talos.server.service.call.ClientInfo;
import org.talos.server.service.call.KnownCaller;
import org.talos.server.service.call.PartitionName;
import org.talos.server.service.call.ServiceName;
import org.talos.server.service.history.HistoryOperations;
import org.talos.server.service.topic.PartitionViews.Segment;
import org.talos.server.service.topic.PartitionViews.Shown;
import org.talos.server.testing.AmpleMemory;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.MessageCompressionType;

/** Tests the views of operators of partitions that another server has, or nobody. */
class OperatorViewsTest extends MessageFixture {
    private static final Location THERE =
            new Location.There(new ClusterMember("two", "127.0.0.1:8082", "127.0.0.1:9082"));
    private static final Principal ROOT =
            new Principal("root", "AKROOT", true, false, Set.of("root"), Principal.Memberships.NONE, null);
    private static final Principal EVE =
            new Principal("eve", "AKEVE", false, false, Set.of("eve"), Principal.Memberships.NONE, null);

    private CallContext by(Principal principal) {
        long now = ticker.nanos();
        return new CallContext(
                new KnownCaller(principal, () -> principal, new ClientInfo("test", OptionalLong.empty(), "")),
                now,
                now + Duration.ofSeconds(10).toNanos(),
                null,
                Presence.UNSEEN,
                AmpleMemory.ofRequest());
    }

    private Shown shown(Principal principal) {
        return services.operations()
                .topics()
                .partitions()
                .list(by(principal), "orders")
                .toCompletableFuture()
                .join()
                .get(0);
    }

    @Test
    void partitionOfAnotherServerHasThatServersBoundsAndAdministratorsSeeItsName() throws Exception {
        call(ServiceName.MESSAGE, "putMessage", put("a", MessageCompressionType.NONE), ANN, GO);
        coordinator.place(THERE);
        call(ServiceName.MESSAGE, "putMessage", put("b", MessageCompressionType.NONE), ANN, GO);
        call(ServiceName.MESSAGE, "putMessage", put("c", MessageCompressionType.NONE), ANN, GO);

        assertThat(shown(ROOT).server()).contains("two");
        assertThat(shown(ROOT).bounds().orElseThrow().next()).isEqualTo(2);
        assertThat(shown(ANN).server()).isEmpty();
        assertThat(shown(ANN).epoch()).hasValue(1);
    }

    @Test
    void whatNobodyServesIsNotKnownAndStopsNothing() {
        coordinator.place(new Location.Nowhere(Duration.ofSeconds(1)));

        Shown nobodys = shown(ROOT);

        assertThat(nobodys.bounds()).isEmpty();
        assertThat(nobodys.server()).isEmpty();
        assertThat(nobodys.putsPerSecond()).isEmpty();
        List<Segment> segments = services.operations()
                .topics()
                .partitions()
                .segments(by(ANN), new PartitionName("orders", 0))
                .toCompletableFuture()
                .join();
        assertThat(segments).allSatisfy(each -> assertThat(each.end()).isEmpty());
    }

    @Test
    void serverThatIsSilentHoldsUpNothing() {
        coordinator.place(THERE);
        other.hang();
        var asked = services.operations().topics().partitions().list(by(ROOT), "orders");

        other.giveUp(TalosException.refused(ErrorCode.REQUEST_PROCESS_TIMEOUT, "late"));

        assertThat(asked.toCompletableFuture().join().get(0).bounds()).isEmpty();
    }

    @Test
    void whoHasNoRightOnTheTopicLearnsNothing() {
        assertThatThrownBy(() -> shown(EVE))
                .isInstanceOf(CompletionException.class)
                .hasCauseInstanceOf(TalosException.class);
        assertThatThrownBy(() -> services.operations()
                        .history()
                        .ofTopic(by(EVE), "orders", HistoryOperations.figuresOfTopic())
                        .toCompletableFuture()
                        .join())
                .hasCauseInstanceOf(TalosException.class);
        assertThatThrownBy(() -> services.operations()
                        .history()
                        .ofServer(by(ANN), HistoryOperations.figuresOfServer())
                        .toCompletableFuture()
                        .join())
                .hasMessageContaining("administrators");
    }

    @Test
    void overviewOfWhoIsNoAdministratorHasNoDetails() {
        assertThat(services.operations()
                        .admin()
                        .overview()
                        .show(by(ANN))
                        .toCompletableFuture()
                        .join()
                        .details())
                .isEqualTo(Optional.empty());
    }
}
