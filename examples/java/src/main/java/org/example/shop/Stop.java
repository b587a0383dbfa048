// SPDX-License-Identifier: Apache-2.0
package org.example.shop;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A graceful shutdown. SIGTERM and Ctrl-C ask the program to end; the JVM then waits until the program has closed this,
 * or until its time is over. Open it first, so that it is closed last.
 *
 * <p>Thread-safe.
 */
final class Stop implements AutoCloseable {
    private final CountDownLatch requested = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile Runnable wakeup = () -> {};

    /** @param deadline less than the supervisor's grace period before SIGKILL */
    Stop(Duration deadline) {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> holdUp(deadline), "stop"));
    }

    private void holdUp(Duration deadline) {
        request();
        try {
            if (!ended.await(deadline.toMillis(), TimeUnit.MILLISECONDS)) {
                System.err.println("not ended within " + deadline + ": what is not committed is read again");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the JVM ends at once
        }
    }

    /** Asks the program to end. */
    void request() {
        requested.countDown();
        wakeup.run();
    }

    /** Calls this when the program is asked to end; at once if it has been asked. */
    void onRequest(Runnable action) {
        wakeup = action;
        if (isRequested()) {
            action.run();
        }
    }

    boolean isRequested() {
        return requested.getCount() == 0;
    }

    void await() throws InterruptedException {
        requested.await();
    }

    /** Waits until the program is asked to end. Returns false if it is not asked in that time. */
    boolean isRequestedWithin(Duration time) throws InterruptedException {
        return requested.await(time.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Lets the JVM end: all is closed. */
    @Override
    public void close() {
        ended.countDown();
    }
}
