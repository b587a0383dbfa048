// SPDX-License-Identifier: Apache-2.0
package org.talos.client.consumer;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.talos.client.ClientCalls;
import org.talos.client.TalosClientException;
import org.talos.client.transport.PartitionRef;

/**
 * Commits a program's polled messages in the background, one commit after another. Of several waiting commits the
 * newest is made first, so that one call to a server covers them all.
 *
 * <p>Thread-safe.
 */
final class AsyncCommits {
    private final Polls polls;
    private final Executor threads;

    @GuardedBy("this")
    private List<Asked> waiting = new ArrayList<>();

    @GuardedBy("this")
    private boolean isRunning;

    /**
     * The commits of one partition that are due. Immutable.
     *
     * @param before one past the last message
     * @param isAll whether that is all that was polled of it
     */
    record Part(Polls.Delivered of, long before, boolean isAll) {}

    /** A commit that the program has asked for. Immutable. */
    private record Asked(List<Part> parts, CompletableFuture<@Nullable Void> done) {}

    /** @param threads run commits, and the program's callbacks at the end of a commit */
    AsyncCommits(Polls polls, Executor threads) {
        this.polls = polls;
        this.threads = threads;
    }

    /**
     * Commits later.
     *
     * @return completes when all parts are committed, or with the first failure of one
     */
    CompletableFuture<@Nullable Void> add(List<Part> parts) {
        Asked asked = new Asked(List.copyOf(parts), new CompletableFuture<>());
        parts.forEach(each -> each.of.checkpoint().promise());
        if (isFirst(asked)) {
            threads.execute(this::run);
        }
        return asked.done;
    }

    private synchronized boolean isFirst(Asked asked) {
        waiting.add(asked);
        boolean isFirst = !isRunning;
        isRunning = true;
        return isFirst;
    }

    private synchronized List<Asked> next() {
        List<Asked> next = waiting;
        waiting = new ArrayList<>();
        isRunning = !next.isEmpty();
        return next;
    }

    private void run() {
        for (List<Asked> some = next(); !some.isEmpty(); some = next()) {
            Map<Part, TalosClientException> failures = commit(some);
            some.forEach(each -> end(each, failures));
        }
    }

    /**
     * Commits the newest first, so that earlier commits need no call. After a failure, the earlier ones are not tried
     * separately.
     */
    private Map<Part, TalosClientException> commit(List<Asked> some) {
        Map<Part, TalosClientException> failures = new HashMap<>();
        Map<PartitionRef, TalosClientException> failed = new HashMap<>();
        for (int i = some.size() - 1; i >= 0; i--) {
            for (Part part : some.get(i).parts) {
                PartitionRef partition = part.of.checkpoint().partition();
                TalosClientException failure = failed.get(partition);
                if (failure == null) {
                    failure = failure(part);
                }
                if (failure != null) {
                    failed.put(partition, failure);
                    failures.put(part, failure);
                }
            }
        }
        return failures;
    }

    private @Nullable TalosClientException failure(Part part) {
        try {
            polls.commit(part.of, part.before, part.isAll);
            return null;
        } catch (TalosClientException e) {
            return e;
        } catch (RuntimeException | Error e) { // otherwise the program would never learn of the failure
            return ClientCalls.failure(e);
        }
    }

    private static void end(Asked asked, Map<Part, TalosClientException> failures) {
        try {
            TalosClientException first = asked.parts.stream()
                    .filter(failures::containsKey)
                    .map(failures::get)
                    .findFirst()
                    .orElse(null);
            if (first == null) {
                asked.done.complete(null);
            } else {
                asked.done.completeExceptionally(first);
            }
        } finally {
            asked.parts.forEach(each -> each.of.checkpoint().kept());
        }
    }
}
