// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.json;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.talos.common.error.Effect;
import org.talos.common.error.ErrorTraits;
import org.talos.common.error.Fault;
import org.talos.common.error.TalosException;
import org.talos.thrift.ErrorCode;

class ProblemTest {
    @ParameterizedTest
    @EnumSource
    void everyCodeOfTheProtocolHasAStatusThatIsAFailure(ErrorCode code) {
        TalosException failure = new TalosException(code, Effect.UNKNOWN, "so it is");

        Problem problem = Problem.of(failure);

        assertThat(problem.status()).isBetween(400, 599).isEqualTo(ErrorTraits.statusOf(failure));
        assertThat(problem.code()).isEqualTo(ErrorTraits.of(code).problemCode());
        assertThat(problem.toJson("id").get("outcome").textValue()).isEqualTo("unknown");
        assertThat(problem.retryable())
                .as("what may have happened is not to be repeated blindly")
                .isFalse();
    }

    @ParameterizedTest
    @EnumSource
    void refusalHasTheStatusOfTheTable(ErrorCode code) {
        Problem problem = Problem.of(TalosException.refused(code, "no"));

        assertThat(problem.status()).isEqualTo(ErrorTraits.of(code).status());
        assertThat(problem.retryable()).isEqualTo(ErrorTraits.isTemporary(problem.status()));
    }

    @Test
    void offsetOutOfRangeIsSaidInPlainWords() {
        Problem problem = Problem.of(TalosException.refused(
                ErrorCode.MESSAGE_OFFSET_OUT_OF_RANGE, "Message out range: partition 1 ends before 5, not 7"));

        assertThat(problem.toJson(null).get("detail").textValue())
                .isEqualTo("offset out of range: partition 1 ends before 5, not 7");
    }

    @Test
    void refusalOfABusyServerMayBeRepeated() {
        Problem busy = Problem.of(TalosException.refused(ErrorCode.EXCESSIVE_PENDING_MESSAGE, "too many"));

        assertThat(busy.status()).isEqualTo(503);
        assertThat(busy.retryable()).isTrue();
        assertThat(busy.toJson(null).has("requestId")).isFalse();
    }

    @Test
    void fullDiskIsNamedAndMayBeTriedAgainUnlessThePutMayBeStored() {
        Problem refused = Problem.of(storage(Fault.DISK_FULL, Effect.NONE));
        Problem unknown = Problem.of(storage(Fault.DISK_FULL, Effect.UNKNOWN));

        assertThat(refused.status()).isEqualTo(503);
        assertThat(refused.code()).isEqualTo("disk-full");
        assertThat(refused.retryable()).isTrue();
        assertThat(unknown.code()).isEqualTo("disk-full");
        assertThat(unknown.retryable()).isFalse();
    }

    @Test
    void damageIsNamedAndNotTriedAgain() {
        Problem damaged = Problem.of(storage(Fault.DAMAGED, Effect.NONE));

        assertThat(damaged.status()).isEqualTo(500);
        assertThat(damaged.code()).isEqualTo("damaged");
        assertThat(damaged.retryable()).isFalse();
        assertThat(Problem.of(storage(Fault.STORAGE_FAILED, Effect.NONE)).code())
                .isEqualTo("storage-failed");
    }

    private static TalosException storage(Fault fault, Effect effect) {
        return TalosException.of(ErrorCode.HDFS_OPERATION_FAILED, effect, fault, "so it is", null);
    }

    @Test
    void failureThatIsTheClientsOwnIsNotRetryable() {
        assertThat(Problem.of(TalosException.refused(ErrorCode.TOPIC_NOT_EXIST, "no topic"))
                        .retryable())
                .isFalse();
    }

    /** Whoever looks at the status alone repeats the commit, which does nothing twice. */
    @Test
    void commitThatIsStoredForSomePartitionsIsAProblemThatNamesThem() {
        Problem problem = Problem.of(new Problem.Partly(List.of(0, 1), List.of(3)));

        ObjectNode json = problem.toJson("r1");
        assertThat(problem.status()).isEqualTo(503);
        assertThat(json.get("code").textValue()).isEqualTo("partition-not-serving");
        assertThat(json.get("outcome").textValue()).isEqualTo("unknown");
        assertThat(json.get("retryable").booleanValue()).isTrue();
        assertThat(json.get("committed")).hasToString("[0,1]");
        assertThat(json.get("unserved")).hasToString("[3]");
    }
}
