// SPDX-License-Identifier: Apache-2.0
package org.talos.server.runtime;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.runtime.time.Ticker;

/**
 * Reports whether the server can do its work now, by checks that run in the background, independently of each other.
 * Answers come from memory, at once. A check that hangs counts as failed once its last result is too old. It also names
 * failures that only another process can repair.
 *
 * <p>Thread-safe.
 */
public final class Readiness {
    /** The time for which a result counts, given that checks run every few seconds. */
    static final Duration FRESH = Duration.ofSeconds(20);

    private static final int REMEMBERED_CHANGES = 50;
    private static final Logger LOG = LoggerFactory.getLogger(Readiness.class);

    private final Ticker ticker;
    private final Map<String, Check> checks = new ConcurrentSkipListMap<>();
    private final Map<String, Supplier<Optional<String>>> warnings = new ConcurrentSkipListMap<>();
    private final Map<String, Supplier<Optional<String>>> ends = new ConcurrentSkipListMap<>();
    private volatile boolean started;
    private volatile boolean stopping;
    private volatile Set<String> shown = Set.of("server"); // names of the reasons that were logged last

    @GuardedBy("this")
    private final Deque<Change> changes = new ArrayDeque<>(); // the latest, oldest first

    /** Creates a readiness without a check, and not ready. */
    public Readiness(Ticker ticker) {
        this.ticker = ticker;
    }

    /** A check and its last result. Thread-safe. */
    private final class Check implements Runnable {
        private final Callable<Optional<String>> question;
        private final AtomicBoolean running = new AtomicBoolean();
        private volatile Result last;

        Check(Callable<Optional<String>> question) {
            this.question = question;
            last = new Result(ticker.nanos(), Optional.of("it has not been checked"));
        }

        @Override
        public void run() {
            Optional<String> reason;
            try {
                reason = question.call();
            } catch (Exception e) {
                reason = Optional.of(String.valueOf(e.getMessage()));
            }
            last = new Result(ticker.nanos(), reason);
        }

        Optional<String> reason() {
            Result result = last;
            Duration age = Duration.ofNanos(ticker.nanos() - result.nanos);
            return age.compareTo(FRESH) > 0
                    ? Optional.of("the check has not answered for " + age.toSeconds() + " s")
                    : result.reason;
        }
    }

    /**
     * A change of the failing checks. Immutable.
     *
     * @param nanos of the monotonic clock
     */
    public record Change(long nanos, String text) {}

    private record Result(long nanos, Optional<String> reason) {}

    /** Adds a check, which returns why it fails, or nothing. It may block. */
    public void watch(String name, Callable<Optional<String>> check) {
        checks.put(name, new Check(check));
    }

    /** Adds a warning that does not make the server unready; must not block. */
    public void warn(String name, Supplier<Optional<String>> warning) {
        warnings.put(name, warning);
    }

    /** Adds a failure from which this process never recovers, so that it must be restarted; must not block. */
    public void watchEnd(String name, Supplier<Optional<String>> end) {
        ends.put(name, end);
    }

    /**
     * Runs every check that does not run yet, each as a task of its own.
     *
     * @return completes with the last of them
     */
    public CompletableFuture<Void> check(Executor threads) {
        started = true;
        List<CompletableFuture<Void>> runs = new ArrayList<>();
        for (Check check : checks.values()) {
            if (check.running.compareAndSet(false, true)) {
                runs.add(run(check, threads));
            }
        }
        log();
        return CompletableFuture.allOf(runs.toArray(CompletableFuture[]::new));
    }

    /** Runs the checks at this interval, on this thread. */
    public void checkEvery(Duration pause, ScheduledExecutorService threads) {
        Runnable round = () -> {
            var unused = check(threads);
        };
        var unused = threads.scheduleWithFixedDelay(round, pause.toNanos(), pause.toNanos(), TimeUnit.NANOSECONDS);
    }

    private CompletableFuture<Void> run(Check check, Executor threads) {
        try {
            return CompletableFuture.runAsync(check, threads).whenComplete((done, error) -> {
                check.running.set(false);
                log();
            });
        } catch (RuntimeException | Error e) { // refused, or no thread left: the next round asks again
            check.running.set(false);
            return CompletableFuture.failedFuture(e);
        }
    }

    /** Logs a change of the failing checks. */
    private void log() {
        Map<String, String> reasons = reasons();
        boolean changed;
        synchronized (this) {
            changed = !reasons.keySet().equals(shown);
            shown = Set.copyOf(reasons.keySet());
            if (changed) {
                note(reasons);
            }
        }
        if (changed) {
            LOG.info("readiness changed ready={} reasons={}", reasons.isEmpty(), reasons);
        }
    }

    @GuardedBy("this")
    private void note(Map<String, String> reasons) {
        if (changes.size() == REMEMBERED_CHANGES) {
            changes.removeFirst();
        }
        String text = new TreeMap<>(reasons)
                .entrySet().stream()
                        .map(each -> each.getKey() + " (" + each.getValue() + ")")
                        .collect(Collectors.joining(", "));
        changes.addLast(new Change(ticker.nanos(), reasons.isEmpty() ? "ready" : "not ready: " + text));
    }

    /** Returns the latest changes, oldest first. */
    public synchronized List<Change> changes() {
        return List.copyOf(changes);
    }

    /** Returns each check with the reason of its failure, including failures from which this process never recovers. */
    public SortedMap<String, Optional<String>> states() {
        SortedMap<String, Optional<String>> states = new TreeMap<>();
        ends.forEach((name, end) -> states.put(name, end.get()));
        checks.forEach((name, check) -> states.put(name, check.reason()));
        return states;
    }

    /** Makes the server not ready for good: it is stopping. */
    public void stop() {
        stopping = true;
    }

    /** Returns the failed checks that do not keep the server from being ready, by name. */
    public Map<String, String> warnings() {
        return now(warnings);
    }

    /** Returns the reasons, by name, for which this process must be restarted; empty if there are none. */
    public Map<String, String> ends() {
        return now(ends);
    }

    private static Map<String, String> now(Map<String, Supplier<Optional<String>>> asked) {
        Map<String, String> now = new TreeMap<>();
        asked.forEach((name, each) -> each.get().ifPresent(reason -> now.put(name, reason)));
        return Map.copyOf(now);
    }

    /** Returns why it is not ready, by check; empty if it is. */
    public Map<String, String> reasons() {
        if (stopping || !started) {
            return Map.of("server", stopping ? "it is stopping" : "it has not been started");
        }
        Map<String, String> reasons = new TreeMap<>(ends());
        checks.forEach((name, check) -> check.reason().ifPresent(reason -> reasons.put(name, reason)));
        return Map.copyOf(reasons);
    }
}
