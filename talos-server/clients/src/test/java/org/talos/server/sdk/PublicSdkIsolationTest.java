// SPDX-License-Identifier: Apache-2.0
package org.talos.server.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.talos.client.TalosClient;
import org.talos.client.TalosEndpoint;
import org.talos.client.admin.Grantee;
import org.talos.client.admin.GroupAdmin;
import org.talos.client.admin.GroupRight;
import org.talos.client.admin.NewCredential;
import org.talos.client.admin.NewTopic;
import org.talos.client.admin.Right;
import org.talos.client.admin.TalosAdmin;
import org.talos.server.sdk.PublicSdkCalls.Sdk;
import org.talos.server.testing.TestServer;
import org.talos.thrift.CheckPoint;
import org.talos.thrift.ConsumeUnit;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.GalaxyTalosException;
import org.talos.thrift.LockPartitionRequest;
import org.talos.thrift.LockPartitionResponse;
import org.talos.thrift.LockWorkerRequest;
import org.talos.thrift.LockWorkerResponse;
import org.talos.thrift.TopicAndPartition;
import org.talos.thrift.TopicTalosResourceName;
import org.talos.thrift.UpdateOffsetRequest;
import org.talos.thrift.UpdateOffsetResponse;

/** Workers of the public SDKs, of one user and of two, in a group of one name: what comes over the wire. */
@Timeout(60)
class PublicSdkIsolationTest {
    @TempDir
    private Path data;

    private TopicTalosResourceName topic = new TopicTalosResourceName();

    private ConsumeUnit unit(String worker, Integer... partitions) {
        return new ConsumeUnit("shop", topic, List.of(partitions), worker);
    }

    private void join(PublicSdkCalls calls, String worker) throws Exception {
        calls.call("consumer", "lockWorker", new LockWorkerRequest(unit(worker)), new LockWorkerResponse());
    }

    private List<Integer> lock(PublicSdkCalls calls, String worker, int partition) throws Exception {
        return calls.call(
                        "consumer",
                        "lockPartition",
                        new LockPartitionRequest(unit(worker, partition)),
                        new LockPartitionResponse())
                .getSuccessPartitions();
    }

    private boolean commit(PublicSdkCalls calls, String worker, int partition) throws Exception {
        CheckPoint checkpoint = new CheckPoint("shop", new TopicAndPartition("orders", topic, partition), 5, worker);
        return calls.call("consumer", "updateOffset", new UpdateOffsetRequest(checkpoint), new UpdateOffsetResponse())
                .isSuccess();
    }

    @ParameterizedTest
    @EnumSource
    void workersOfOneUserShareAGroupAndThoseOfAnotherNeedAGrant(Sdk sdk) throws Exception {
        try (TestServer server = TestServer.start(data, Map.of())) {
            TalosAdmin admin = server.admin();
            topic = new TopicTalosResourceName(
                    admin.createTopic(NewTopic.of("orders", 4)).resourceName());
            PublicSdkCalls dan = new PublicSdkCalls(sdk, user(server, "dan"));
            PublicSdkCalls eve = new PublicSdkCalls(sdk, user(server, "eve"));
            join(dan, "one");
            join(dan, "two");
            assertThat(lock(dan, "one", 0)).containsExactly(0);
            assertThat(lock(dan, "two", 1)).containsExactly(1);

            assertDenied(() -> join(eve, "three"));
            assertDenied(() -> lock(eve, "three", 2));
            assertDenied(() -> commit(eve, "one", 0));
            assertThat(commit(dan, "one", 0)).isTrue();

            new GroupAdmin(new TalosClient(server.endpoint()).once())
                    .grant("orders", "shop", Grantee.of("eve"), GroupRight.COMMIT);
            join(eve, "three");
            assertThat(lock(eve, "three", 2)).containsExactly(2);
            assertDenied(() -> commit(eve, "one", 0));
            assertThat(commit(eve, "three", 2)).isTrue();
        }
    }

    private static TalosEndpoint user(TestServer server, String name) throws Exception {
        NewCredential made = server.admin().addUser(name, false, List.of(), List.of());
        server.admin().grant("orders", Grantee.of(name), Set.of(Right.GET));
        return new TalosEndpoint(server.uri(), made.accessKey(), made.secretKey());
    }

    private static void assertDenied(ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        GalaxyTalosException.class,
                        e -> assertThat(e.getErrorCode()).isEqualTo(ErrorCode.PERMISSION_DENIED_ERROR));
    }
}
