// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.quota;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.talos.server.auth.Permissions;
import org.talos.server.auth.quota.QuotaGate;
import org.talos.server.auth.quota.RateUse;
import org.talos.server.metadata.cache.TopicDirectory;
import org.talos.server.metadata.rows.topic.TopicRecord;
import org.talos.server.service.call.CallContext;
import org.talos.server.service.call.TopicLookup;
import org.talos.thrift.Permission;

/** The use of quotas, except for space, which the calls of the contract return. Thread-safe; reads memory only. */
public final class QuotaUses {
    private final TopicDirectory directory;
    private final TopicLookup topics;
    private final QuotaGate gate;

    public QuotaUses(TopicDirectory directory, QuotaGate gate) {
        this.directory = directory;
        this.topics = new TopicLookup(directory);
        this.gate = gate;
    }

    /**
     * The use of a user. Immutable.
     *
     * @param topics that the user owns
     * @param rates at this server; nothing for users without a quota
     */
    public record OfUser(long topics, RateUse rates) {}

    /** Returns the caller's use. */
    public CompletionStage<OfUser> own(CallContext context) {
        return context.guarded(() -> {
            String user = context.principal().userId();
            long owned = directory.all().stream()
                    .filter(topic -> topic.owner().equals(user))
                    .count();
            return CompletableFuture.completedFuture(ofUser(user, owned));
        });
    }

    /** Returns the use of all users, by user; for administrators. */
    public CompletionStage<Function<String, OfUser>> ofAll(CallContext context) {
        return context.guarded(() -> {
            Permissions.requireAdmin(context.principal());
            Map<String, Long> owned =
                    directory.all().stream().collect(Collectors.groupingBy(TopicRecord::owner, Collectors.counting()));
            return CompletableFuture.completedFuture(user -> ofUser(user, owned.getOrDefault(user, 0L)));
        });
    }

    private OfUser ofUser(String user, long topics) {
        return new OfUser(topics, gate.useOfUser(user));
    }

    /** Returns the rates of a topic at this server, for users who may describe it. */
    public CompletionStage<RateUse> ofTopic(CallContext context, String name) {
        return context.guarded(() -> {
            TopicRecord topic = topics.byName(name);
            Permissions.require(topic, context.principal(), Permission.DESCRIBE_TOPIC);
            return CompletableFuture.completedFuture(gate.useOfTopic(topic.topicId()));
        });
    }
}
