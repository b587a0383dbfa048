// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.executor;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.talos.server.runtime.thread.NamedThreads;

/** An event loop: a thread that reads and writes the sockets registered with it. Thread-safe. */
final class IoLoop implements Runnable {
    private final Selector selector;
    private final Queue<Step> steps = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean asleep = new AtomicBoolean();
    private final Thread thread;

    /** A step of a connection on this thread. */
    @FunctionalInterface
    interface Step {
        void run() throws IOException;
    }

    IoLoop(NamedThreads threads) throws IOException {
        selector = Selector.open();
        thread = threads.newThread(this);
        thread.start();
    }

    /** Returns whether this is the loop's thread. */
    boolean isHere() {
        return Thread.currentThread() == thread;
    }

    /** Queues a step and wakes the loop, unless the loop is running and will check its queue anyway. */
    void later(Step step) {
        steps.add(step);
        if (asleep.get() && asleep.getAndSet(false)) {
            selector.wakeup();
        }
    }

    /** Begins to read a connection. */
    void register(SocketChannel channel, EchoConnection connection) {
        later(() -> connection.registered(channel.register(selector, SelectionKey.OP_READ, connection)));
    }

    @Override
    public void run() {
        try {
            while (true) {
                asleep.set(true);
                if (steps.isEmpty()) {
                    selector.select(IoLoop::ready);
                } else {
                    selector.selectNow(IoLoop::ready);
                }
                asleep.set(false);
                for (Step step = steps.poll(); step != null; step = steps.poll()) {
                    step.run();
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void ready(SelectionKey key) {
        ((EchoConnection) key.attachment()).ready();
    }
}
