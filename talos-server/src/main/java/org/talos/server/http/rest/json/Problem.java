// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.json;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.eclipse.jetty.http.HttpStatus;
import org.jspecify.annotations.Nullable;
import org.talos.common.error.Effect;
import org.talos.common.error.ErrorTraits;
import org.talos.common.error.TalosException;
import org.talos.thrift.ErrorCode;

/**
 * A failure as a REST client sees it: problem details of RFC 9457, with the known effect.
 *
 * <p>Immutable.
 *
 * @param status of HTTP
 * @param code stable name of the failure
 * @param detail one sentence for people
 * @param effect known effect of the request
 * @param partly of a commit that was stored for some of its partitions
 * @param unreadable the block that a reader cannot be given
 * @param retryAfter after which time the same request may succeed; zero if that is not known
 */
public record Problem(
        int status,
        String code,
        String detail,
        Effect effect,
        Optional<Partly> partly,
        Optional<Unreadable> unreadable,
        Duration retryAfter) {
    public static final String CONTENT_TYPE = "application/problem+json";
    private static final Duration LONGEST_RETRY = Duration.ofSeconds(60);
    /** The public Go SDK searches the errors of calls for it, so it stays there. */
    private static final String PHRASE_OF_CALLS = "Message out range";

    /**
     * The partitions of a commit by their outcome. Immutable.
     *
     * @param committed those whose offsets are stored
     * @param unserved partitions without a server, of which nothing is stored
     */
    public record Partly(List<Integer> committed, List<Integer> unserved) {
        public Partly {
            committed = List.copyOf(committed);
            unserved = List.copyOf(unserved);
        }
    }

    /**
     * A stored block that cannot be read. Immutable.
     *
     * @param first offset of its first message
     * @param last offset of its last one
     */
    public record Unreadable(int partition, long first, long last) {
        /** Returns the offset at which a reader continues that leaves the block out. */
        public long skip() {
            return last + 1;
        }

        private void write(ObjectNode json) {
            json.put("partition", partition);
            json.put("first", first);
            json.put("last", last);
            json.put("skip", skip());
        }
    }

    /** A problem of the request as a whole. */
    public Problem(int status, String code, String detail, Effect effect) {
        this(status, code, detail, effect, Optional.empty(), Optional.empty(), Duration.ZERO);
    }

    /** A request that was not begun. */
    public static Problem refused(int status, String code, String detail) {
        return new Problem(status, code, detail, Effect.NONE);
    }

    /**
     * Returns the problem of a commit that was not stored for all of its partitions: a client that checks only the
     * status must not take it for a success.
     */
    public static Problem of(Partly partly) {
        ErrorTraits notServing = ErrorTraits.of(ErrorCode.PARTITION_NOT_SERVING);
        return new Problem(
                notServing.status(),
                notServing.problemCode(),
                "partition not serving error: no server has " + partly.unserved()
                        + " now, of which nothing is committed",
                Effect.UNKNOWN,
                Optional.of(partly),
                Optional.empty(),
                Duration.ZERO);
    }

    /** A read that begins at a block that cannot be read: it will not succeed later, but behind the block. */
    public static Problem of(Unreadable block, String detail) {
        return new Problem(
                HttpStatus.UNPROCESSABLE_ENTITY_422,
                "unreadable-block",
                detail,
                Effect.NONE,
                Optional.empty(),
                Optional.of(block),
                Duration.ZERO);
    }

    /** The problem of a call that failed. */
    public static Problem of(TalosException e) {
        return new Problem(
                ErrorTraits.statusOf(e),
                ErrorTraits.problemCodeOf(e),
                e.getMessage().replace(PHRASE_OF_CALLS, "offset out of range"),
                e.effect(),
                Optional.empty(),
                e.damaged().map(each -> new Unreadable(each.partition(), each.first(), each.last())),
                e.retryAfter());
    }

    /** Returns whether the same request may succeed later without a second effect, as a repeated commit does. */
    public boolean retryable() {
        return (effect == Effect.NONE || partly.isPresent()) && ErrorTraits.isTemporary(status);
    }

    /**
     * Returns whole seconds for {@code Retry-After}, rounded up: 1 if the time is unknown, as a shortage of memory or a
     * missing server is mostly over soon, and at most 60, after which a retry costs little.
     */
    public long retryAfterSeconds() {
        Duration bounded = retryAfter.compareTo(LONGEST_RETRY) > 0 ? LONGEST_RETRY : retryAfter;
        return Math.max(1, bounded.plusNanos(999_999_999).toSeconds());
    }

    private String outcome() {
        return switch (effect) {
            case NONE -> "did-not-happen";
            case DONE -> "happened";
            case UNKNOWN -> "unknown";
        };
    }

    public ObjectNode toJson(@Nullable String requestId) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("type", "about:blank");
        json.put("title", HttpStatus.getMessage(status));
        json.put("status", status);
        json.put("detail", detail);
        json.put("code", code);
        json.put("retryable", retryable());
        json.put("outcome", outcome());
        partly.ifPresent(each -> {
            each.committed().forEach(json.putArray("committed")::add);
            each.unserved().forEach(json.putArray("unserved")::add);
        });
        unreadable.ifPresent(each -> each.write(json));
        if (requestId != null) {
            json.put("requestId", requestId);
        }
        return json;
    }
}
