// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.executor;

import java.time.Duration;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.talos.bench.variant.SelectionPolicy;
import org.talos.server.config.PoolConfig;
import org.talos.server.config.WorkerCount;
import org.talos.server.dispatch.KeyAffinityExecutor;
import org.talos.server.dispatch.PoolTuning;
import org.talos.server.dispatch.Submission;
import org.talos.server.dispatch.ThreadKind;
import org.talos.server.metrics.DispatchMetrics;
import org.talos.server.metrics.Metrics;
import org.talos.server.runtime.thread.NamedThreads;
import org.talos.server.runtime.thread.TimerWheel;
import org.talos.server.runtime.thread.VirtualThreads;
import org.talos.server.runtime.time.SystemTime;
import org.talos.server.runtime.time.Ticker;

/** Creates the executor of each model. Immutable. */
final class HandlerPool {
    private static final int MANY = 1_000_000;
    private static final int MAX_BATCH = 256;
    private static final Duration STARVATION_BOUND = Duration.ofSeconds(1);

    private HandlerPool() {}

    /**
     * Starts the threads of a model, which run for as long as the process does.
     *
     * @param virtual whether those of the executor are without threads of the kernel
     */
    static Consumer<EchoRequest> of(HandlerModel model, int threads, boolean virtual) {
        if (model == HandlerModel.IO) {
            return EchoRequest::run;
        }
        WorkerCount workers = model == HandlerModel.AUTO ? WorkerCount.AUTO : WorkerCount.of(threads);
        return model.policy().map(policy -> executor(policy, workers, virtual)).orElseGet(() -> plain(threads));
    }

    private static Consumer<EchoRequest> plain(int threads) {
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                threads, threads, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), new NamedThreads("plain"));
        pool.prestartAllCoreThreads();
        return pool::execute;
    }

    private static ThreadKind threads(boolean virtual) {
        return virtual
                ? new ThreadKind.Virtual(new VirtualThreads("handler"))
                : new ThreadKind.Kernel(new NamedThreads("handler"));
    }

    private static Consumer<EchoRequest> executor(SelectionPolicy policy, WorkerCount workers, boolean virtual) {
        Ticker ticker = SystemTime.ticker();
        KeyAffinityExecutor<String, EchoRequest> executor = new KeyAffinityExecutor<>(
                threads(virtual),
                policy.selection(),
                new PoolConfig(workers, MANY, MANY, MAX_BATCH, STARVATION_BOUND),
                batch -> batch.forEach(EchoRequest::run),
                ticker,
                TimerWheel.started(ticker),
                new DispatchMetrics(new Metrics(ticker), "handler"));
        PoolTuning tuning = new PoolTuning(ticker); // of no thread unless the workers are auto
        tuning.add("handler", executor);
        tuning.start();
        return request -> {
            Submission submission = executor.submit(request);
            if (submission != Submission.ACCEPTED) {
                throw new IllegalStateException("the executor answered " + submission);
            }
        };
    }
}
