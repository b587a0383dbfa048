// SPDX-License-Identifier: Apache-2.0
package org.talos.common.error;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.talos.thrift.ErrorCode;

/**
 * Properties of an error code. This is the only table of them: the front ends and the SDK read it.
 *
 * <p>A failure has more than its code: a cause, and a known effect. The methods that take a {@link TalosException} use
 * both.
 *
 * <p>Immutable.
 *
 * @param code the protocol's error code
 * @param status HTTP status in REST, for a request that had no effect
 * @param retryable whether the SDK repeats the call by itself until its deadline, where that is safe. REST's
 *     {@code retryable} is {@link #isTemporary}, which differs for five codes on purpose: a full quota outlasts a call
 *     of the SDK but not the wait that a REST client chooses, and only the SDK knows which calls are safe to repeat
 *     after a failure of the server itself
 * @param effect of such an error, unless the server states another
 */
public record ErrorTraits(ErrorCode code, int status, boolean retryable, Effect effect) {
    private static final int TOO_MANY_REQUESTS = 429;
    private static final int SERVER_FAILED = 500;
    private static final int UNAVAILABLE = 503;
    private static final int LATE = 504;

    private static final boolean RETRY = true;
    private static final boolean NO_RETRY = false;

    /** One row for each code, in the order of the protocol. */
    private static final Map<ErrorCode, ErrorTraits> TABLE = table(
            row(ErrorCode.NO_ERROR, 500, NO_RETRY, Effect.NONE),
            row(ErrorCode.UNKNOWN, 500, NO_RETRY, Effect.UNKNOWN),
            row(ErrorCode.UNEXPECTED_ERROR, 500, NO_RETRY, Effect.UNKNOWN),
            row(ErrorCode.UNEXPECTED_MESSAGE_OFFSET, 400, NO_RETRY, Effect.NONE),
            row(ErrorCode.TOPIC_EXIST, 409, NO_RETRY, Effect.NONE),
            row(ErrorCode.TOPIC_NOT_EXIST, 404, NO_RETRY, Effect.NONE),
            row(ErrorCode.QUOTA_NOT_EXIST, 404, NO_RETRY, Effect.NONE),
            row(ErrorCode.LOCK_EXIST, 409, NO_RETRY, Effect.NONE),
            row(ErrorCode.LOCK_NOT_EXIST, 404, NO_RETRY, Effect.NONE),
            row(ErrorCode.LOCK_VALUE_NOT_EXPECTED, 409, NO_RETRY, Effect.NONE),
            row(ErrorCode.MESSAGE_MISSING, 422, NO_RETRY, Effect.NONE),
            row(ErrorCode.MESSAGE_INCOMPLETE, 400, NO_RETRY, Effect.NONE),
            row(ErrorCode.MESSAGE_INDEX_UNDESIRED_ERROR, 500, NO_RETRY, Effect.NONE),
            row(ErrorCode.MESSAGE_INDEX_NOT_EXIST, 404, NO_RETRY, Effect.NONE),
            row(ErrorCode.MESSAGE_OFFSET_OUT_OF_RANGE, 416, NO_RETRY, Effect.NONE),
            row(ErrorCode.INVALID_NAME_ERROR, 400, NO_RETRY, Effect.NONE),
            row(ErrorCode.INVALID_TOPIC_PARAMS, 422, NO_RETRY, Effect.NONE),
            row(ErrorCode.OPERATION_FAILED, 422, NO_RETRY, Effect.NONE),
            row(ErrorCode.HDFS_OPERATION_FAILED, 503, RETRY, Effect.UNKNOWN),
            row(ErrorCode.HBASE_OPERATION_FAILED, 503, RETRY, Effect.UNKNOWN),
            row(ErrorCode.ZOOKEEPER_OPERATION_FAILED, 503, RETRY, Effect.UNKNOWN),
            row(ErrorCode.PARTITION_NOT_SERVING, 503, RETRY, Effect.NONE),
            row(ErrorCode.PARTITION_NOT_EXIST, 404, NO_RETRY, Effect.NONE),
            row(ErrorCode.ZK_NODE_EXIST, 500, NO_RETRY, Effect.NONE),
            row(ErrorCode.ZK_NODE_NOT_EXIST, 404, NO_RETRY, Effect.NONE),
            row(ErrorCode.REST_SERVER_INIT_ERROR, 500, RETRY, Effect.NONE),
            row(ErrorCode.INTERNAL_SERVER_ERROR, 500, RETRY, Effect.UNKNOWN),
            row(ErrorCode.EXCESSIVE_PENDING_MESSAGE, 503, RETRY, Effect.NONE),
            row(ErrorCode.PERMISSION_DENIED_ERROR, 403, NO_RETRY, Effect.NONE),
            row(ErrorCode.HDFS_FILE_NOT_EXIST, 404, NO_RETRY, Effect.NONE),
            row(ErrorCode.INVALID_AUTH_INFO, 401, NO_RETRY, Effect.NONE),
            row(ErrorCode.SUB_RESOURCE_NAME_EXIST, 409, NO_RETRY, Effect.NONE),
            row(ErrorCode.SUB_RESOURCE_NAME_NOT_EXIST, 404, NO_RETRY, Effect.NONE),
            row(ErrorCode.REQUEST_PROCESS_TIMEOUT, 504, RETRY, Effect.NONE),
            row(ErrorCode.QUOTA_EXCEEDED, 429, NO_RETRY, Effect.NONE),
            row(ErrorCode.THROTTLE_REJECT_ERROR, 429, RETRY, Effect.NONE),
            row(ErrorCode.QUOTA_AUTO_APPROVE_FAILED, 422, NO_RETRY, Effect.NONE),
            row(ErrorCode.HBASE_OPERATION_BLOCKED, 503, RETRY, Effect.NONE),
            row(ErrorCode.CLOCK_TOO_SKEWED, 412, NO_RETRY, Effect.NONE),
            row(ErrorCode.REQUEST_TOO_LARGE, 413, NO_RETRY, Effect.NONE),
            row(ErrorCode.BAD_REQUEST, 400, NO_RETRY, Effect.NONE),
            row(ErrorCode.CONSUMER_NOT_EXIST, 404, NO_RETRY, Effect.NONE),
            row(ErrorCode.TRANSACTION_FINISHED, 500, NO_RETRY, Effect.NONE),
            row(ErrorCode.TRANSACTION_NOT_EXIST, 404, NO_RETRY, Effect.NONE),
            row(ErrorCode.GET_DATA_PREVIEW_ERROR, 500, NO_RETRY, Effect.NONE),
            row(ErrorCode.TALOS_SCHEMA_ERROR, 500, NO_RETRY, Effect.NONE),
            row(ErrorCode.SOURCE_ClUSTER_LIST_HAS_CIRCLE, 500, NO_RETRY, Effect.NONE),
            row(ErrorCode.PUT_MESSAGE_FAILED_TO_MIRROR_PARTITION, 500, NO_RETRY, Effect.NONE),
            row(ErrorCode.NOT_TRANSACTION_TOPIC_ERROR, 500, NO_RETRY, Effect.NONE),
            row(ErrorCode.TRANSACTION_ACK_DUPLICATED, 500, NO_RETRY, Effect.NONE),
            row(ErrorCode.CHANGE_PARTITION_TOO_FAST, 429, NO_RETRY, Effect.NONE),
            row(ErrorCode.TOO_MANY_CONSUMER, 429, NO_RETRY, Effect.NONE),
            row(ErrorCode.CONSUMER_GROUP_STILL_WORKING, 409, NO_RETRY, Effect.NONE));

    /** Returns the row of a code. */
    public static ErrorTraits of(ErrorCode code) {
        ErrorTraits row = TABLE.get(code);
        if (row == null) {
            throw new IllegalStateException("no row for " + code);
        }
        return row;
    }

    /** Returns the row of a code by its name, or empty for a name that is not the protocol's. */
    public static Optional<ErrorTraits> find(String name) {
        return TABLE.values().stream()
                .filter(row -> row.code.name().equals(name))
                .findFirst();
    }

    /** Returns whether a request that got this HTTP status, and had no effect, may succeed later. */
    public static boolean isTemporary(int status) {
        return status == TOO_MANY_REQUESTS || status == UNAVAILABLE || status == LATE;
    }

    /**
     * Returns the HTTP status of a failure in REST. Damage lasts until an operator acts, so its status is not
     * temporary. The status of OPERATION_FAILED blames the request, which is right only if nothing happened.
     */
    public static int statusOf(TalosException failure) {
        return isDamage(failure) || isPossiblyDone(failure) ? SERVER_FAILED : of(failure.code()).status;
    }

    /**
     * Returns whether the server or its storage failed or was busy. Other failures are refusals: the request was wrong,
     * not allowed, or beyond a quota.
     */
    public static boolean isOfServer(TalosException failure) {
        return statusOf(failure) >= SERVER_FAILED;
    }

    /**
     * Returns the error code of a failure for Thrift clients. The public Java SDK repeats each call that gets
     * OPERATION_FAILED or PARTITION_NOT_SERVING, even a put. So an operation that may have happened, and a damaged
     * partition, get codes that this SDK does not repeat by itself.
     */
    public static ErrorCode thriftCodeOf(TalosException failure) {
        if (isPossiblyDone(failure)) {
            return ErrorCode.INTERNAL_SERVER_ERROR;
        }
        return isDamage(failure) && failure.code() == ErrorCode.PARTITION_NOT_SERVING
                ? ErrorCode.HDFS_OPERATION_FAILED
                : failure.code();
    }

    /**
     * Returns the stable name of a failure in REST, the {@code code} of its problem: the fault's name if it has one.
     */
    public static String problemCodeOf(TalosException failure) {
        return failure.fault()
                .map(ErrorTraits::lowerCase)
                .orElseGet(() -> of(failure.code()).problemCode());
    }

    /** Returns the stable name of the code in REST. */
    public String problemCode() {
        return lowerCase(code);
    }

    private static Map<ErrorCode, ErrorTraits> table(ErrorTraits... rows) {
        Map<ErrorCode, ErrorTraits> table = new EnumMap<>(ErrorCode.class);
        for (ErrorTraits row : rows) {
            if (table.put(row.code, row) != null) {
                throw new IllegalStateException("two rows for " + row.code);
            }
        }
        return table;
    }

    private static ErrorTraits row(ErrorCode code, int status, boolean retryable, Effect effect) {
        return new ErrorTraits(code, status, retryable, effect);
    }

    private static String lowerCase(Enum<?> name) {
        return name.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static boolean isDamage(TalosException failure) {
        return failure.fault().filter(Fault.DAMAGED::equals).isPresent();
    }

    /** Returns whether an operation failed after it, or a part of it, may have happened. */
    private static boolean isPossiblyDone(TalosException failure) {
        return failure.code() == ErrorCode.OPERATION_FAILED && failure.effect() != Effect.NONE;
    }
}
