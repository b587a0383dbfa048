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
 * Waits for messages of several partitions at once. Each partition has one request under way; what comes is printed by
 * the caller's thread alone, so the lines of two partitions never mix.
 *
 * <p>Confined: the main thread.
 */
final class Follower {
    private final MessagePrinter printer;

    /** What one request brought. Immutable. */
    private record Read(PartitionReader by, List<FetchedMessage> messages) {}

    Follower(MessagePrinter printer) {
        this.printer = printer;
    }

    /** Goes on until so many messages are printed, or a request fails. */
    void follow(List<PartitionReader> readers, long most) throws TalosClientException, CommandException, IOException {
        ExecutorService requests = Executors.newFixedThreadPool(readers.size());
        try {
            CompletionService<Read> done = new ExecutorCompletionService<>(requests);
            for (PartitionReader reader : readers) {
                ask(done, reader);
            }
            long left = most;
            while (left > 0) {
                Read read = done.take().get();
                for (FetchedMessage message :
                        read.messages().stream().limit(left).toList()) {
                    printer.print(read.by().partition(), message);
                    left--;
                }
                printer.flush();
                ask(done, read.by());
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
            requests.shutdownNow(); // who waits for messages is interrupted
        }
    }

    private static void ask(CompletionService<Read> done, PartitionReader reader) {
        var unused = done.submit(() -> new Read(reader, reader.read(Long.MAX_VALUE)));
    }
}
