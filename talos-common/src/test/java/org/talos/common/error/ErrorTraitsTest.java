// SPDX-License-Identifier: Apache-2.0
package org.talos.common.error;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.RetryType;
import org.talos.thrift.commonConstants;

class ErrorTraitsTest {
    /** Contract with clients: the code, its status in REST, what the SDK does, and the effect if no server says it. */
    private static final String CONTRACT = """
            NO_ERROR 500 - NONE
            UNKNOWN 500 - UNKNOWN
            UNEXPECTED_ERROR 500 - UNKNOWN
            UNEXPECTED_MESSAGE_OFFSET 400 - NONE
            TOPIC_EXIST 409 - NONE
            TOPIC_NOT_EXIST 404 - NONE
            QUOTA_NOT_EXIST 404 - NONE
            LOCK_EXIST 409 - NONE
            LOCK_NOT_EXIST 404 - NONE
            LOCK_VALUE_NOT_EXPECTED 409 - NONE
            MESSAGE_MISSING 422 - NONE
            MESSAGE_INCOMPLETE 400 - NONE
            MESSAGE_INDEX_UNDESIRED_ERROR 500 - NONE
            MESSAGE_INDEX_NOT_EXIST 404 - NONE
            MESSAGE_OFFSET_OUT_OF_RANGE 416 - NONE
            INVALID_NAME_ERROR 400 - NONE
            INVALID_TOPIC_PARAMS 422 - NONE
            OPERATION_FAILED 422 - NONE
            HDFS_OPERATION_FAILED 503 retry UNKNOWN
            HBASE_OPERATION_FAILED 503 retry UNKNOWN
            ZOOKEEPER_OPERATION_FAILED 503 retry UNKNOWN
            PARTITION_NOT_SERVING 503 retry NONE
            PARTITION_NOT_EXIST 404 - NONE
            ZK_NODE_EXIST 500 - NONE
            ZK_NODE_NOT_EXIST 404 - NONE
            REST_SERVER_INIT_ERROR 500 retry NONE
            INTERNAL_SERVER_ERROR 500 retry UNKNOWN
            EXCESSIVE_PENDING_MESSAGE 503 retry NONE
            PERMISSION_DENIED_ERROR 403 - NONE
            HDFS_FILE_NOT_EXIST 404 - NONE
            INVALID_AUTH_INFO 401 - NONE
            SUB_RESOURCE_NAME_EXIST 409 - NONE
            SUB_RESOURCE_NAME_NOT_EXIST 404 - NONE
            REQUEST_PROCESS_TIMEOUT 504 retry NONE
            QUOTA_EXCEEDED 429 - NONE
            THROTTLE_REJECT_ERROR 429 retry NONE
            QUOTA_AUTO_APPROVE_FAILED 422 - NONE
            HBASE_OPERATION_BLOCKED 503 retry NONE
            CLOCK_TOO_SKEWED 412 - NONE
            REQUEST_TOO_LARGE 413 - NONE
            BAD_REQUEST 400 - NONE
            CONSUMER_NOT_EXIST 404 - NONE
            TRANSACTION_FINISHED 500 - NONE
            TRANSACTION_NOT_EXIST 404 - NONE
            GET_DATA_PREVIEW_ERROR 500 - NONE
            TALOS_SCHEMA_ERROR 500 - NONE
            SOURCE_ClUSTER_LIST_HAS_CIRCLE 500 - NONE
            PUT_MESSAGE_FAILED_TO_MIRROR_PARTITION 500 - NONE
            NOT_TRANSACTION_TOPIC_ERROR 500 - NONE
            TRANSACTION_ACK_DUPLICATED 500 - NONE
            CHANGE_PARTITION_TOO_FAST 429 - NONE
            TOO_MANY_CONSUMER 429 - NONE
            CONSUMER_GROUP_STILL_WORKING 409 - NONE
            """;

    @Test
    void everyCodeHasTheRowThatClientsRelyOn() {
        assertThat(Arrays.stream(ErrorCode.values()).map(ErrorTraitsTest::line).collect(Collectors.joining("\n")))
                .isEqualTo(CONTRACT.strip());
    }

    private static String line(ErrorCode code) {
        ErrorTraits row = ErrorTraits.of(code);
        return row.code() + " " + row.status() + " " + (row.retryable() ? "retry" : "-") + " " + row.effect();
    }

    @ParameterizedTest
    @EnumSource
    void codeIsFoundByItsName(ErrorCode code) {
        assertThat(ErrorTraits.find(code.name())).contains(ErrorTraits.of(code));
    }

    @Test
    void nameThatOnlyTheServerUsesIsNotFound() {
        assertThat(ErrorTraits.find("NO_MEMORY")).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void everyFailureOfACodeIsAFailureForEveryFrontEnd(ErrorCode code) {
        for (Effect effect : Effect.values()) {
            TalosException failure = new TalosException(code, effect, "a sentence");

            assertThat(ErrorTraits.statusOf(failure)).isBetween(400, 599);
            assertThat(ErrorTraits.isOfServer(failure)).isEqualTo(ErrorTraits.statusOf(failure) >= 500);
            assertThat(ErrorTraits.problemCodeOf(failure))
                    .matches("[a-z-]+")
                    .isEqualTo(ErrorTraits.of(code).problemCode());
        }
    }

    @ParameterizedTest
    @EnumSource
    void refusalKeepsItsCodeForThriftClients(ErrorCode code) {
        assertThat(ErrorTraits.thriftCodeOf(TalosException.refused(code, "a sentence")))
                .isEqualTo(code);
    }

    /** The two meanings differ on purpose; a new code must not add a difference unnoticed. */
    @Test
    void sdkRepeatsWhatPassesExceptForQuotasAndFailuresOfTheServerItself() {
        Set<ErrorCode> different = EnumSet.noneOf(ErrorCode.class);
        for (ErrorCode code : ErrorCode.values()) {
            ErrorTraits row = ErrorTraits.of(code);
            if (row.retryable() != ErrorTraits.isTemporary(row.status())) {
                different.add(code);
            }
        }

        assertThat(different)
                .containsExactlyInAnyOrder(
                        ErrorCode.QUOTA_EXCEEDED,
                        ErrorCode.CHANGE_PARTITION_TOO_FAST,
                        ErrorCode.TOO_MANY_CONSUMER,
                        ErrorCode.REST_SERVER_INIT_ERROR,
                        ErrorCode.INTERNAL_SERVER_ERROR);
    }

    /** As over REST: neither the server nor its storage failed, and an operator can do nothing. */
    @Test
    void blockThatNobodyCanReadIsNoFailureOfTheServer() {
        TalosException unreadable = TalosException.refused(ErrorCode.MESSAGE_MISSING, "a sentence");

        assertThat(ErrorTraits.statusOf(unreadable)).isEqualTo(422);
        assertThat(ErrorTraits.isOfServer(unreadable)).isFalse();
    }

    @Test
    void operationThatDidNothingIsARefusal() {
        TalosException refused = TalosException.refused(ErrorCode.OPERATION_FAILED, "a sentence");

        assertThat(ErrorTraits.statusOf(refused)).isEqualTo(422);
        assertThat(ErrorTraits.isOfServer(refused)).isFalse();
    }

    @ParameterizedTest
    @EnumSource(value = Effect.class, names = "NONE", mode = EnumSource.Mode.EXCLUDE)
    void operationThatMayHaveHappenedHasACodeThatPublicSdksDoNotRepeat(Effect effect) {
        TalosException failure = new TalosException(ErrorCode.OPERATION_FAILED, effect, "a sentence");

        assertThat(ErrorTraits.statusOf(failure)).isEqualTo(500);
        assertThat(ErrorTraits.isOfServer(failure)).isTrue();
        assertThat(ErrorTraits.problemCodeOf(failure)).isEqualTo("operation-failed");
        assertThat(retryOfPublicSdks(ErrorCode.OPERATION_FAILED)).isEqualTo(RetryType.SAFE);
        assertThat(retryOfPublicSdks(ErrorTraits.thriftCodeOf(failure))).isNotEqualTo(RetryType.SAFE);
    }

    @Test
    void damageIsNamedAndHasACodeThatPublicSdksDoNotRepeat() {
        TalosException damaged =
                TalosException.of(ErrorCode.PARTITION_NOT_SERVING, Effect.NONE, Fault.DAMAGED, "a sentence", null);

        assertThat(ErrorTraits.statusOf(damaged)).isEqualTo(500);
        assertThat(ErrorTraits.problemCodeOf(damaged)).isEqualTo("damaged");
        assertThat(ErrorTraits.thriftCodeOf(damaged)).isEqualTo(ErrorCode.HDFS_OPERATION_FAILED);
        assertThat(retryOfPublicSdks(ErrorTraits.thriftCodeOf(damaged))).isNull();
    }

    @ParameterizedTest
    @EnumSource(value = Fault.class, names = "DAMAGED", mode = EnumSource.Mode.EXCLUDE)
    void otherFaultsOnlyNameTheFailure(Fault fault) {
        TalosException failure =
                TalosException.of(ErrorCode.HDFS_OPERATION_FAILED, Effect.UNKNOWN, fault, "a sentence", null);

        assertThat(ErrorTraits.statusOf(failure)).isEqualTo(503);
        assertThat(ErrorTraits.thriftCodeOf(failure)).isEqualTo(ErrorCode.HDFS_OPERATION_FAILED);
        assertThat(ErrorTraits.problemCodeOf(failure)).isIn("disk-full", "storage-failed");
    }

    private static @Nullable RetryType retryOfPublicSdks(ErrorCode code) {
        return commonConstants.ERROR_RETRY_TYPE.get(code.getValue());
    }
}
