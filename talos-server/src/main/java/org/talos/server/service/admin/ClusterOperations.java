// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.admin;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.talos.common.error.Effect;
import org.talos.common.error.TalosException;
import org.talos.server.cluster.ClusterAdmin;
import org.talos.server.metadata.rows.topic.TopicRecord;
import org.talos.server.service.call.CallContext;
import org.talos.server.service.call.ControlPool;
import org.talos.server.service.call.PartitionName;
import org.talos.server.service.call.TopicLookup;
import org.talos.thrift.ErrorCode;

/**
 * The views and changes of the cluster for administrators. A call completes once the cluster has recorded the request,
 * and the cluster carries it out later.
 *
 * <p>Thread-safe.
 */
public final class ClusterOperations {
    private static final String KEY = "cluster";

    private final Supplier<Optional<ClusterAdmin>> cluster;
    private final Supplier<List<ClusterDescription.Workers>> workers;
    private final TopicLookup topics;
    private final ControlPool pool;

    /** @param workers of this server */
    public ClusterOperations(
            Supplier<Optional<ClusterAdmin>> cluster,
            Supplier<List<ClusterDescription.Workers>> workers,
            TopicLookup topics,
            ControlPool pool) {
        this.cluster = cluster;
        this.workers = workers;
        this.topics = topics;
        this.pool = pool;
    }

    /** A request to the cluster, which fails when ZooKeeper does. */
    private interface Request<T> {
        T of(ClusterAdmin admin) throws IOException;
    }

    /** Returns the servers, their leader, and the latest events; and the workers of the queried server. */
    public CompletionStage<ClusterDescription> status(CallContext context) {
        return asked(context, Effect.NONE, ClusterAdmin::status)
                .thenApply(status -> ClusterDescription.of(status, workers.get(), topics::nameOf));
    }

    /** Moves one partition to a server. */
    public CompletionStage<@Nullable Void> move(CallContext context, PartitionName partition, String server) {
        return ordered(context, admin -> {
            TopicRecord topic = topics.byPartition(partition);
            admin.move(topic.topicId(), partition.number(), server);
        });
    }

    /** Levels the load of all servers. */
    public CompletionStage<@Nullable Void> rebalance(CallContext context) {
        return ordered(context, ClusterAdmin::rebalance);
    }

    /** Takes all partitions from a server, or lets it own partitions again. */
    public CompletionStage<@Nullable Void> drain(CallContext context, String server, boolean drained) {
        return ordered(context, admin -> {
            if (drained) {
                admin.drain(server);
            } else {
                admin.resume(server);
            }
        });
    }

    /** A request without a result. */
    private interface Order {
        void to(ClusterAdmin admin) throws IOException;
    }

    private CompletionStage<@Nullable Void> ordered(CallContext context, Order order) {
        return asked(context, Effect.UNKNOWN, admin -> {
                    order.to(admin);
                    return true;
                })
                .thenApply(done -> null);
    }

    private <T> CompletionStage<T> asked(CallContext context, Effect onFailure, Request<T> request) {
        return context.guarded(() -> {
            if (!context.principal().admin()) {
                throw TalosException.refused(ErrorCode.PERMISSION_DENIED_ERROR, "this is for administrators");
            }
            return pool.run(context.principal().userId(), KEY, context.deadlineNanos(), () -> of(onFailure, request));
        });
    }

    private <T> T of(Effect onFailure, Request<T> request) {
        ClusterAdmin admin = cluster.get()
                .orElseThrow(() -> TalosException.refused(
                        ErrorCode.OPERATION_FAILED, "this server is not one of several, or has not joined them yet"));
        try {
            return request.of(admin);
        } catch (IllegalArgumentException e) {
            throw TalosException.refused(ErrorCode.INVALID_TOPIC_PARAMS, String.valueOf(e.getMessage()));
        } catch (IOException e) {
            throw new TalosException(
                    ErrorCode.ZOOKEEPER_OPERATION_FAILED, onFailure, "ZooKeeper did not do it: " + e.getMessage(), e);
        }
    }
}
