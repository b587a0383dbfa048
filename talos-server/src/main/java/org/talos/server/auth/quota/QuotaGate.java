// SPDX-License-Identifier: Apache-2.0
package org.talos.server.auth.quota;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;
import org.talos.common.error.TalosException;
import org.talos.server.config.QuotaConfig;
import org.talos.server.metadata.rows.quota.QuotaRecord;
import org.talos.server.metadata.rows.quota.Quotas;
import org.talos.server.metadata.rows.topic.TopicRecord;
import org.talos.server.metrics.QuotaMetrics;
import org.talos.server.metrics.QuotaMetrics.Scope;
import org.talos.server.runtime.time.Ticker;
import org.talos.thrift.ErrorCode;

/**
 * Admits puts and gets while the server's limit, then the caller's quota, and then the topic's quota allow it. A
 * refused request counts for none of them, so a flood by one tenant does not use up the others' quotas, and none of it
 * has been executed. Each server counts only its own requests.
 *
 * <p>Thread-safe, without a lock. Where no quota is set, a check reads a few fields.
 */
public final class QuotaGate {
    private final Quotas quotas;
    private final Ticker ticker;
    private final QuotaMetrics metrics;
    private final @Nullable TokenBucket requests;
    private final @Nullable Rates server;
    private final ConcurrentMap<String, Rates> users = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, Rates> topics = new ConcurrentHashMap<>();
    private volatile Set<String> fullTopics = Set.of();

    /** A gate with the server's own bounds. */
    public QuotaGate(QuotaConfig config, Quotas quotas, Ticker ticker, QuotaMetrics metrics) {
        this.quotas = quotas;
        this.ticker = ticker;
        this.metrics = metrics;
        requests = config.requestsPerSecond() == 0 ? null : new TokenBucket(config.requestsPerSecond(), ticker.nanos());
        QuotaRecord all = new QuotaRecord(
                QuotaRecord.UNBOUNDED,
                QuotaRecord.UNBOUNDED,
                (int) orUnbounded(config.putsPerSecond()),
                (int) orUnbounded(config.getsPerSecond()),
                orUnbounded(config.putBytesPerSecond()),
                orUnbounded(config.getBytesPerSecond()));
        boolean bounded = config.putsPerSecond() + config.getsPerSecond() > 0
                || config.putBytesPerSecond() > 0
                || config.getBytesPerSecond() > 0;
        server = bounded ? new Rates(all, ticker.nanos()) : null;
    }

    private static long orUnbounded(long perSecond) {
        return perSecond == 0 ? QuotaRecord.UNBOUNDED : perSecond;
    }

    /** Sets the topics that have no space left. */
    public void full(Set<String> topicIds) {
        fullTopics = Set.copyOf(topicIds);
    }

    /**
     * Lets a request pass, of any kind.
     *
     * @throws TalosException THROTTLE_REJECT_ERROR
     */
    public void request() {
        TokenBucket bucket = requests;
        if (bucket == null) {
            return;
        }
        long now = ticker.nanos();
        long wait = bucket.waitNanos(now);
        if (wait > 0) {
            throw refused(Scope.SERVER, wait, "all clients together make more requests than the server takes");
        }
        bucket.take(1, now);
    }

    /**
     * Lets a put pass.
     *
     * @throws TalosException THROTTLE_REJECT_ERROR, or QUOTA_EXCEEDED for want of space
     */
    public void put(String userId, TopicRecord topic, long bytes) {
        if (isOpen()) {
            return;
        }
        if (fullTopics.contains(topic.topicId())) {
            metrics.refused(Scope.SPACE);
            throw TalosException.refused(
                    ErrorCode.QUOTA_EXCEEDED, "topic " + topic.name() + " or its owner has no space left");
        }
        long now = ticker.nanos();
        List<Subject> subjects = subjects(userId, topic, now);
        subjects.forEach(each -> require(each.of, each.rates.putWait(now)));
        subjects.forEach(each -> each.rates.put(bytes, now));
    }

    /**
     * Lets a get pass.
     *
     * @throws TalosException THROTTLE_REJECT_ERROR
     */
    public void get(String userId, TopicRecord topic) {
        if (isOpen()) {
            return;
        }
        long now = ticker.nanos();
        List<Subject> subjects = subjects(userId, topic, now);
        subjects.forEach(each -> require(each.of, each.rates.getWait(now)));
        subjects.forEach(each -> each.rates.get(now));
    }

    /** Counts the bytes that a get returned; after a large answer the caller waits at its next get. */
    public void got(String userId, TopicRecord topic, long bytes) {
        if (isOpen()) {
            return;
        }
        long now = ticker.nanos();
        subjects(userId, topic, now).forEach(each -> each.rates.got(bytes, now));
    }

    /** The holder of rates. Immutable. */
    private record Subject(Scope of, Rates rates) {}

    /** The subjects that have rates, the server first. */
    private List<Subject> subjects(String userId, TopicRecord topic, long now) {
        List<Subject> subjects = new ArrayList<>(3);
        if (server != null) {
            subjects.add(new Subject(Scope.SERVER, server));
        }
        rates(users, userId, quotas.ofUser(userId), now)
                .ifPresent(rates -> subjects.add(new Subject(Scope.USER, rates)));
        rates(topics, topic.topicId(), quotas.ofTopic(topic.topicId()), now)
                .ifPresent(rates -> subjects.add(new Subject(Scope.TOPIC, rates)));
        return subjects;
    }

    private boolean isOpen() {
        return server == null && quotas.isEmpty();
    }

    private void require(Scope of, long waitNanos) {
        if (waitNanos > 0) {
            throw refused(
                    of,
                    waitNanos,
                    switch (of) {
                        case SERVER, SPACE -> "all clients together are over the server's rate";
                        case USER -> "you are over your rate at this server";
                        case TOPIC -> "the topic is over its rate at this server";
                    });
        }
    }

    private TalosException refused(Scope of, long waitNanos, String why) {
        metrics.refused(of);
        return TalosException.refusedFor(Duration.ofNanos(waitNanos), ErrorCode.THROTTLE_REJECT_ERROR, why);
    }

    /** The rates of a quota; new ones if the quota has been changed. */
    private static Optional<Rates> rates(
            ConcurrentMap<String, Rates> all, String id, Optional<QuotaRecord> quota, long now) {
        return quota.map(of ->
                all.compute(id, (same, before) -> before != null && before.isOf(of) ? before : new Rates(of, now)));
    }

    /** Forgets the rates of callers and topics without a quota, and refreshes the others. Call it once a second. */
    public void sweep() {
        users.keySet().removeIf(id -> quotas.ofUser(id).isEmpty());
        topics.keySet().removeIf(id -> quotas.ofTopic(id).isEmpty());
        long now = ticker.nanos();
        users.values().forEach(rates -> rates.passed().look(now));
        topics.values().forEach(rates -> rates.passed().look(now));
    }

    /** Returns a user's use of their rates in the last ten seconds; nothing without a quota. */
    public RateUse useOfUser(String userId) {
        return use(users.get(userId));
    }

    /** Returns the use of a topic's rates in the last ten seconds; nothing without a quota. */
    public RateUse useOfTopic(String topicId) {
        return use(topics.get(topicId));
    }

    private RateUse use(@Nullable Rates rates) {
        return rates == null ? RateUse.NONE : rates.passed().use(ticker.nanos());
    }
}
