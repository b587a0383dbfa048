// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.message;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.common.error.Effect;
import org.talos.common.error.TalosException;
import org.talos.server.auth.Permissions;
import org.talos.server.log.Deletion;
import org.talos.server.metadata.rows.topic.TopicRecord;
import org.talos.server.partition.serving.Failures;
import org.talos.server.partition.serving.ForwardContext;
import org.talos.server.partition.serving.PartitionRoutes;
import org.talos.server.service.call.CallContext;
import org.talos.server.service.call.TopicLookup;
import org.talos.server.service.message.MessageDeletion.Deleted;
import org.talos.server.service.message.MessageDeletion.Place;
import org.talos.server.storage.LogId;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.Permission;

/**
 * Deletes the oldest messages of a topic, for users who may delete the topic. First asks every partition for a preview,
 * so nothing is deleted anywhere if one of them is not served, or refuses.
 *
 * <p>Thread-safe; nothing blocks.
 */
public final class MessageDeletions {
    private static final Logger LOG = LoggerFactory.getLogger(MessageDeletions.class);

    private final TopicLookup topics;
    private final PartitionRoutes routes;

    public MessageDeletions(TopicLookup topics, PartitionRoutes routes) {
        this.topics = topics;
        this.routes = routes;
    }

    /**
     * Deletes messages, or reports what would be deleted, by partition. Messages that arrive after the preview stay.
     */
    CompletionStage<List<Deleted>> delete(CallContext context, String topicName, MessageDeletion asked) {
        TopicRecord topic = topics.byEitherName(topicName);
        Permissions.require(topic, context.principal(), Permission.CHANGE_TOPIC);
        ForwardContext forward = new ForwardContext(context.principal().turnId(), context.deadlineNanos());
        CompletionStage<SortedMap<Integer, Deletion.Result>> previews =
                each(asked(topic, asked), id -> preview(id, asked.before(), forward));
        if (asked.preview()) {
            return previews.thenApply(MessageDeletions::shown);
        }
        String user = context.principal().userId();
        return previews.thenCompose(found -> execute(topic, found, forward))
                .thenApply(MessageDeletions::shown)
                .thenApply(deleted -> logged(topic, user, deleted));
    }

    private static List<Deleted> logged(TopicRecord topic, String user, List<Deleted> deleted) {
        long messages = deleted.stream().mapToLong(Deleted::messages).sum();
        LOG.info("messages deleted topic={} user={} messages={}", topic.name(), user, messages);
        return deleted;
    }

    private static List<Deleted> shown(SortedMap<Integer, Deletion.Result> results) {
        List<Deleted> deleted = new ArrayList<>();
        results.forEach((partition, result) ->
                deleted.add(new Deleted(partition, result.from(), result.to(), result.messages(), result.bytes())));
        return deleted;
    }

    private static List<LogId> asked(TopicRecord topic, MessageDeletion asked) {
        List<LogId> all = LogId.all(topic.topicId(), topic.partitions());
        if (asked.partitions().isEmpty()) {
            return all;
        }
        List<LogId> some = new ArrayList<>();
        for (int partition : asked.partitions().get()) {
            if (partition < 0 || partition >= topic.partitions()) {
                throw TalosException.refused(
                        ErrorCode.PARTITION_NOT_EXIST, "partitions (expected: 0.." + (topic.partitions() - 1) + ")");
            }
            some.add(all.get(partition));
        }
        return some;
    }

    private static CompletionStage<SortedMap<Integer, Deletion.Result>> each(
            Collection<LogId> ids, Function<LogId, CompletionStage<Deletion.Result>> work) {
        CompletionStage<SortedMap<Integer, Deletion.Result>> all = CompletableFuture.completedFuture(new TreeMap<>());
        for (LogId id : ids) {
            all = all.thenCombine(work.apply(id), (results, result) -> {
                results.put(id.partition(), result);
                return results;
            });
        }
        return all;
    }

    private CompletionStage<Deletion.Result> preview(LogId id, Place before, ForwardContext forward) {
        if (before instanceof Place.Time time) {
            return routes.offsetAtTime(id, time.millis(), forward)
                    .thenCompose(offset -> request(id, new Deletion(offset, true), forward));
        }
        long offset = before instanceof Place.Offset place ? place.offset() : Deletion.ALL;
        return request(id, new Deletion(offset, true), forward);
    }

    private CompletionStage<Deletion.Result> request(LogId id, Deletion deletion, ForwardContext forward) {
        return routes.to(id).to().delete(id, deletion, forward);
    }

    private CompletionStage<SortedMap<Integer, Deletion.Result>> execute(
            TopicRecord topic, SortedMap<Integer, Deletion.Result> previews, ForwardContext forward) {
        List<LogId> ids = previews.keySet().stream()
                .map(partition -> new LogId(topic.topicId(), partition))
                .toList();
        return each(ids, id -> execute(id, requireNonNull(previews.get(id.partition())), forward))
                .exceptionally(error -> {
                    throw ids.size() == 1 ? Failures.of(error) : partly(Failures.of(error));
                });
    }

    private CompletionStage<Deletion.Result> execute(LogId id, Deletion.Result preview, ForwardContext forward) {
        if (preview.from() == preview.to()) {
            return CompletableFuture.completedFuture(preview);
        }
        try {
            return request(id, new Deletion(preview.to(), false), forward);
        } catch (TalosException e) { // no server serves it any more; the others are in progress
            return CompletableFuture.failedFuture(e);
        }
    }

    private static TalosException partly(TalosException e) {
        return new TalosException(
                e.code(), Effect.UNKNOWN, "messages of some partitions may be deleted: " + e.getMessage(), e);
    }
}
