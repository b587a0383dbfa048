// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.load;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;
import org.HdrHistogram.Histogram;

/** Runs several loops at once, each on a thread of its own: the puts and the gets of each client. Confined: one run. */
public final class PutGetLoad {
    private final URI server;
    private final WarmUp warmUp;
    private final Duration measured;
    private final List<Loop> loops = new ArrayList<>();

    /** The connections of one operation of one client. Immutable. */
    private record Loop(
            String operation,
            InetSocketAddress server,
            List<? extends RequestSource> sources,
            AnswerCheck check,
            ClosedLoop.Pace pace) {}

    /** A load, on one server unless something else is said; nothing is sent yet. */
    public PutGetLoad(URI server, Duration warmUp, Duration measured) {
        this(server, WarmUp.lasting(warmUp), measured);
    }

    /** Like the overload with a time, with a warm-up that ends for all loops together. */
    public PutGetLoad(URI server, WarmUp warmUp, Duration measured) {
        this.server = server;
        this.warmUp = warmUp;
        this.measured = measured;
    }

    /**
     * Adds connections.
     *
     * @param perSecond of all of them together, whatever the answers take; 0 for the next request as soon as the last
     *     was answered
     */
    public PutGetLoad add(String operation, List<? extends RequestSource> sources, double perSecond) {
        return add(operation, server, sources, perSecond);
    }

    /** Adds connections to another server. */
    public PutGetLoad add(String operation, URI to, List<? extends RequestSource> sources, double perSecond) {
        return add(operation, to, sources, new ClosedLoop.Pace(perSecond, false));
    }

    /** Like the overload with a rate. */
    public PutGetLoad add(String operation, URI to, List<? extends RequestSource> sources, ClosedLoop.Pace pace) {
        return add(operation, to, sources, AnswerCheck.THRIFT_RESULT, pace);
    }

    /**
     * Adds connections whose answers need not be Thrift; each sends its next request as soon as the last was answered.
     */
    public PutGetLoad add(String operation, List<? extends RequestSource> sources, AnswerCheck check) {
        return add(operation, server, sources, check, ClosedLoop.Pace.NONE);
    }

    private PutGetLoad add(
            String operation, URI to, List<? extends RequestSource> sources, AnswerCheck check, ClosedLoop.Pace pace) {
        InetSocketAddress address = new InetSocketAddress(to.getHost(), to.getPort());
        loops.add(new Loop(operation, address, sources, check, pace));
        return this;
    }

    /**
     * Adds connections, each partition's to a server of its own.
     *
     * @param servers by partition
     * @param sources of all partitions, made for a server
     * @param pace of all of them together
     */
    public PutGetLoad add(
            String operation,
            SortedMap<Integer, URI> servers,
            Function<URI, ? extends List<? extends RequestSource>> sources,
            ClosedLoop.Pace pace) {
        for (URI server : new LinkedHashSet<>(servers.values())) {
            List<? extends RequestSource> all = sources.apply(server);
            List<? extends RequestSource> here = servers.entrySet().stream()
                    .filter(each -> each.getValue().equals(server))
                    .map(each -> all.get(each.getKey()))
                    .toList();
            add(operation, server, here, pace.part((double) here.size() / servers.size()));
        }
        return this;
    }

    /**
     * Runs all loops.
     *
     * @param window notified when measuring begins and ends, on the thread of the first loop
     * @return what was measured, by operation
     */
    public Map<String, LoadResult> run(Window window) throws IOException {
        ExecutorService threads = Executors.newFixedThreadPool(loops.size());
        try {
            List<Future<LoadResult>> running = new ArrayList<>();
            for (int i = 0; i < loops.size(); i++) {
                Loop loop = loops.get(i);
                Window notified = i == 0 ? window : Window.NOBODY;
                running.add(threads.submit(() ->
                        ClosedLoop.run(loop.server, loop.sources, loop.check, warmUp, measured, notified, loop.pace)));
            }
            Map<String, LoadResult> results = new TreeMap<>();
            for (int i = 0; i < loops.size(); i++) {
                results.merge(loops.get(i).operation, running.get(i).get(), PutGetLoad::both);
            }
            return results;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } catch (ExecutionException e) {
            throw new IOException("a client failed: " + e.getCause(), e);
        } finally {
            threads.shutdownNow();
        }
    }

    /**
     * Runs the loops of the only operation.
     *
     * @throws IOException a request failed
     */
    public LoadResult runOne(Window window) throws IOException {
        LoadResult result = run(window).values().iterator().next();
        if (result.firstFailure().isPresent()) {
            throw new IOException(
                    loops.get(0).operation + " failed: " + result.firstFailure().get());
        }
        return result;
    }

    private static LoadResult both(LoadResult one, LoadResult other) {
        Histogram latency = one.latency().copy();
        latency.add(other.latency());
        return new LoadResult(
                latency,
                Math.max(one.measuredNanos(), other.measuredNanos()),
                one.succeeded() + other.succeeded(),
                one.failed() + other.failed(),
                one.firstFailure().or(other::firstFailure),
                one.timeline().plus(other.timeline()));
    }
}
