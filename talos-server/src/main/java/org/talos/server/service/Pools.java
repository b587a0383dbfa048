// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.talos.server.config.DispatchConfig;
import org.talos.server.config.DispatchConfig.WorkerThreads;
import org.talos.server.config.PoolConfig;
import org.talos.server.dispatch.BatchRunner;
import org.talos.server.dispatch.KeyAffinityExecutor;
import org.talos.server.dispatch.PoolTuning;
import org.talos.server.dispatch.Task;
import org.talos.server.dispatch.ThreadKind;
import org.talos.server.metrics.DispatchMetrics;
import org.talos.server.partition.PartitionManager;
import org.talos.server.partition.serving.GetPool;
import org.talos.server.partition.serving.PoolTask;
import org.talos.server.partition.serving.PutPool;
import org.talos.server.partition.serving.PutPool.PutTask;
import org.talos.server.runtime.thread.FairThreads;
import org.talos.server.runtime.thread.NamedThreads;
import org.talos.server.runtime.thread.VirtualThreads;
import org.talos.server.service.admin.ClusterDescription;
import org.talos.server.service.call.ControlPool;
import org.talos.server.service.message.Decoding;
import org.talos.server.storage.LogId;

/**
 * Builds the pools of a server, and adapts the number of their workers. The seam: a pool runs tasks under keys and
 * knows no calls. The operations of a subject choose the pool and the key of a call, and know no threads.
 *
 * <p>Thread-safe.
 */
final class Pools implements AutoCloseable {
    private final ServiceFoundation base;
    private final PoolTuning tuning;
    private final KeyAffinityExecutor<LogId, PutTask> putWorkers;
    private final KeyAffinityExecutor<LogId, PoolTask<LogId>> getWorkers;
    private final KeyAffinityExecutor<String, PoolTask<String>> controlWorkers;
    private final KeyAffinityExecutor<String, PoolTask<String>> topicWorkers;
    private final PutPool puts;
    private final GetPool gets;
    private final Decoding decoding;
    private final ControlPool control;
    private final ControlPool topics;

    /** Starts the pools. The number of their workers does not change before {@link #startTuning}. */
    Pools(ServiceFoundation base) {
        this.base = base;
        Environment environment = base.environment();
        DispatchConfig dispatch = base.config().dispatch();
        PartitionManager partitions = base.partitions();
        boolean checkBlocks = base.config().service().checkBlocks();
        PutPool.Runner putRunner = new PutPool.Runner(
                partitions,
                base.cluster().coordinator(),
                environment.background().timers(),
                checkBlocks ? Optional.of(environment.budget()) : Optional.empty());
        tuning = new PoolTuning(environment.ticker());
        putWorkers = pool(base, tuning, "put", dispatch.put(), putRunner::run);
        getWorkers = pool(base, tuning, "get", dispatch.get(), GetPool::runBatch);
        controlWorkers = pool(base, tuning, "control", dispatch.control(), ControlPool::runBatch);
        topicWorkers = pool(base, tuning, "topics", dispatch.control(), ControlPool::runBatch);
        puts = new PutPool(putWorkers, !checkBlocks && !partitions.appendsWait());
        gets = new GetPool(getWorkers, environment.budget());
        decoding = new Decoding(
                new FairThreads("decoding", Runtime.getRuntime().availableProcessors()),
                environment.background().timers(),
                environment.budget());
        control = new ControlPool(controlWorkers, dispatch.control());
        topics = new ControlPool(topicWorkers, dispatch.control());
    }

    private static <K, T extends Task<K>> KeyAffinityExecutor<K, T> pool(
            ServiceFoundation base, PoolTuning tuning, String name, PoolConfig config, BatchRunner<T> runner) {
        boolean virtual = base.config().dispatch().threads() == WorkerThreads.VIRTUAL;
        KeyAffinityExecutor<K, T> pool = new KeyAffinityExecutor<>(
                virtual
                        ? new ThreadKind.Virtual(new VirtualThreads(name))
                        : new ThreadKind.Kernel(new NamedThreads(name)),
                base.policies().selection(),
                config,
                runner,
                base.environment().ticker(),
                base.environment().background().timers(),
                new DispatchMetrics(base.environment().metrics(), name));
        tuning.add(name, pool);
        return pool;
    }

    /** Returns the pool of puts, under the partition as the key. */
    PutPool puts() {
        return puts;
    }

    /** Returns the pool of gets that read storage, under the partition as the key. */
    GetPool gets() {
        return gets;
    }

    /** Returns the threads that decompress blocks after they were read. */
    Decoding decoding() {
        return decoding;
    }

    /** Returns the pool of calls that may block. */
    ControlPool control() {
        return control;
    }

    /** Returns the pool of calls that may also wait for other servers; leases of groups must not wait behind them. */
    ControlPool topics() {
        return topics;
    }

    /** Returns the workers of all pools now, with Jetty's threads. */
    List<ClusterDescription.Workers> workers() {
        List<ClusterDescription.Workers> all = new ArrayList<>();
        all.add(new ClusterDescription.Workers("http", base.config().http().workers(), false));
        tuning.workers()
                .forEach(each -> all.add(new ClusterDescription.Workers(each.pool(), each.workers(), each.auto())));
        return all;
    }

    /** Starts to adapt the number of workers to the load. */
    void startTuning() {
        tuning.start();
    }

    /** Refuses new tasks, runs or expires those in flight within the grace period, and ends the workers. */
    @Override
    public void close() {
        Duration grace = base.config().service().shutdownGrace();
        tuning.close();
        putWorkers.close(grace);
        getWorkers.close(grace);
        decoding.close(grace);
        controlWorkers.close(grace);
        topicWorkers.close(grace);
    }
}
