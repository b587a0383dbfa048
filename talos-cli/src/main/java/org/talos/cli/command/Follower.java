// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.command;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionService;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.talos.cli.CommandException;
import org.talos.cli.message.MessagePrinter;
import org.talos.client.TalosClientException;
import org.talos.client.admin.PartitionOffsets;
import org.talos.client.consumer.FetchedMessage;

/**
 * Prints messages of several partitions as they are appended. Each partition has one request in flight at most; only
 * the caller's thread prints, so that lines of two partitions never mix.
 *
 * <p>Invariant: no more than {@link #MOST_AT_ONCE} partitions have a request in flight or messages that are not
 * printed, even with more partitions. If not all can wait for messages at once, one call finds those that have
 * messages. Partitions with an unknown end, or whose request has failed, share one place, in which they are queried
 * until they answer: they delay none of the others.
 *
 * <p>Confined: the main thread.
 */
final class Follower {
    /** An answer takes up to a quarter of the heap while it is read: an eighth of it, twice. */
    static final int MOST_AT_ONCE = 2;

    private static final long LEAST_BETWEEN_MILLIS = 200;
    private static final long PARTITION_MILLIS = 4; // 1 s for the most that a topic has

    private final Collection<PartitionCursor> cursors;
    private final MessagePrinter printer;
    private final Ends ends;
    private final ScheduledExecutorService requests = Executors.newScheduledThreadPool(MOST_AT_ONCE + 1);
    private final BlockingQueue<Future<Step>> answers = new LinkedBlockingQueue<>();
    private final CompletionService<Step> now = new ExecutorCompletionService<>(requests, answers);
    private final CompletionService<Step> later;
    private final Deque<PartitionCursor> due = new ArrayDeque<>();
    private final Deque<PartitionCursor> unknown = new ArrayDeque<>();
    private final Deque<PartitionCursor> failed = new ArrayDeque<>();
    private final Collection<PartitionCursor> resting = new LinkedHashSet<>();
    private Map<Integer, PartitionOffsets> known = Map.of();
    private int underWay;
    private boolean isPatient; // with a partition that is unknown or failed
    private long left;

    /** Reports the contents of each partition that has a server. Called by a thread of its own. */
    interface Ends {
        List<PartitionOffsets> now() throws TalosClientException;
    }

    /** The step that follows an answer. Confined: the main thread. */
    private interface Step {
        void run() throws IOException;
    }

    /** Follows partitions. Queries the ends only if there are many partitions. */
    Follower(List<PartitionCursor> cursors, MessagePrinter printer, Ends ends) {
        this.cursors = cursors;
        this.printer = printer;
        this.ends = ends;
        long between = Math.max(LEAST_BETWEEN_MILLIS, PARTITION_MILLIS * cursors.size());
        later = new ExecutorCompletionService<>(
                task -> {
                    var unused = requests.schedule(task, between, TimeUnit.MILLISECONDS);
                },
                answers);
    }

    /** Prints messages until this number is printed or a request fails. To be called once. */
    void follow(long most) throws TalosClientException, CommandException, IOException {
        left = most;
        try {
            begin();
            while (left > 0) {
                request();
                answers.take().get().run();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandException("interrupted", e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof TalosClientException failure) {
                throw failure;
            }
            throw new IllegalStateException("a request failed in an unforeseen way", e);
        } finally {
            requests.shutdownNow(); // interrupts requests that wait for messages
        }
    }

    private boolean areMany() {
        return cursors.size() > MOST_AT_ONCE;
    }

    private void begin() {
        if (areMany()) {
            resting.addAll(cursors);
            var unused = now.submit(this::look);
        } else {
            due.addAll(cursors);
        }
    }

    private void request() {
        while (underWay < MOST_AT_ONCE) {
            Deque<PartitionCursor> doubtful = failed.isEmpty() ? unknown : failed;
            if (!isPatient && !doubtful.isEmpty() && (underWay > 0 || due.isEmpty())) {
                isPatient = true;
                PartitionCursor cursor = doubtful.remove();
                ask(() -> askPatiently(cursor));
            } else if (!due.isEmpty()) {
                PartitionCursor cursor = due.remove();
                ask(() -> areMany() ? askOnce(cursor) : came(cursor));
            } else {
                return;
            }
        }
    }

    private void ask(Callable<Step> request) {
        underWay++;
        var unused = now.submit(request);
    }

    private Step askPatiently(PartitionCursor cursor) throws TalosClientException {
        Step came = came(cursor);
        return () -> {
            isPatient = false;
            came.run();
        };
    }

    private Step askOnce(PartitionCursor cursor) throws TalosClientException {
        try {
            List<FetchedMessage> messages = cursor.readOnce(Long.MAX_VALUE);
            return () -> came(cursor, messages);
        } catch (TalosClientException e) {
            if (!e.retriable()) {
                throw e;
            }
            return () -> {
                underWay--;
                failed.add(cursor);
            };
        }
    }

    private Step came(PartitionCursor cursor) throws TalosClientException {
        List<FetchedMessage> messages = cursor.read(Long.MAX_VALUE);
        return () -> came(cursor, messages);
    }

    private void came(PartitionCursor cursor, List<FetchedMessage> messages) throws IOException {
        for (FetchedMessage message : messages) {
            if (left > 0 && printer.print(message)) {
                left--;
            }
        }
        printer.flush();
        underWay--;
        boolean isNext = !areMany() || (!messages.isEmpty() && isBehind(cursor));
        (isNext ? due : resting).add(cursor);
    }

    private boolean isBehind(PartitionCursor cursor) {
        PartitionOffsets holds = known.get(cursor.partition());
        return holds != null && cursor.isBehind(holds);
    }

    /** A partition with an unknown end may come again, or its own request must report the reason. */
    private Step look() throws TalosClientException {
        try {
            Map<Integer, PartitionOffsets> found =
                    ends.now().stream().collect(Collectors.toMap(PartitionOffsets::partition, Function.identity()));
            return () -> looked(found);
        } catch (TalosClientException e) {
            if (!e.retriable()) {
                throw e;
            }
            return () -> looked(Map.of());
        }
    }

    private void looked(Map<Integer, PartitionOffsets> found) {
        known = found;
        List<PartitionCursor> idle = new ArrayList<>(unknown); // these have waited longest
        idle.addAll(due);
        idle.addAll(resting);
        unknown.clear();
        due.clear();
        resting.clear();
        for (PartitionCursor cursor : idle) {
            boolean isKnown = known.containsKey(cursor.partition());
            (!isKnown ? unknown : isBehind(cursor) ? due : resting).add(cursor);
        }
        var unused = later.submit(this::look);
    }
}
