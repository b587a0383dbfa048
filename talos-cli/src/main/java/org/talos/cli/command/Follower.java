// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.command;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletionService;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.talos.cli.CommandException;
import org.talos.client.TalosClientException;
import org.talos.client.consumer.FetchedMessage;

/**
 * Prints messages of several partitions as they are appended. Each partition has one request in flight; only the
 * caller's thread prints, so that lines of two partitions never mix.
 *
 * <p>Confined: the main thread.
 */
final class Follower {
    private final MessagePrinter printer;

    /** The messages that one request returned. Immutable. */
    private record Batch(PartitionCursor cursor, List<FetchedMessage> messages) {}

    Follower(MessagePrinter printer) {
        this.printer = printer;
    }

    /** Prints messages until so many are printed or a request fails. */
    void follow(List<PartitionCursor> cursors, long most) throws TalosClientException, CommandException, IOException {
        ExecutorService requests = Executors.newFixedThreadPool(cursors.size());
        try {
            CompletionService<Batch> done = new ExecutorCompletionService<>(requests);
            for (PartitionCursor cursor : cursors) {
                request(done, cursor);
            }
            long left = most;
            while (left > 0) {
                Batch batch = done.take().get();
                for (FetchedMessage message :
                        batch.messages().stream().limit(left).toList()) {
                    printer.print(batch.cursor().partition(), message);
                    left--;
                }
                printer.flush();
                request(done, batch.cursor());
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

    private static void request(CompletionService<Batch> done, PartitionCursor cursor) {
        var unused = done.submit(() -> new Batch(cursor, cursor.read(Long.MAX_VALUE)));
    }
}
