// SPDX-License-Identifier: Apache-2.0
package org.talos.server.dispatch;

import java.util.concurrent.atomic.AtomicInteger;

/** A task that counts how it ended. Thread-safe. */
final class TestTask implements Task<String> {
    final String key;
    final int number;
    final Priority priority;
    final long deadlineNanos;
    private final boolean throwing;
    final AtomicInteger ran = new AtomicInteger();
    final AtomicInteger expired = new AtomicInteger();
    final AtomicInteger stopped = new AtomicInteger();
    final AtomicInteger failed = new AtomicInteger();

    TestTask(String key, int number, Priority priority, long deadlineNanos) {
        this(key, number, priority, deadlineNanos, false);
    }

    private TestTask(String key, int number, Priority priority, long deadlineNanos, boolean throwing) {
        this.key = key;
        this.number = number;
        this.priority = priority;
        this.deadlineNanos = deadlineNanos;
        this.throwing = throwing;
    }

    static TestTask of(String key, int number) {
        return new TestTask(key, number, Priority.NORMAL, Long.MAX_VALUE / 2);
    }

    /** A task whose endings throw, but for the last one. */
    static TestTask throwing(String key, long deadlineNanos) {
        return new TestTask(key, 0, Priority.NORMAL, deadlineNanos, true);
    }

    int endings() {
        return ran.get() + expired.get() + stopped.get() + failed.get();
    }

    @Override
    public String key() {
        return key;
    }

    @Override
    public Priority priority() {
        return priority;
    }

    @Override
    public long deadlineNanos() {
        return deadlineNanos;
    }

    @Override
    public void expired() {
        throwIfSo();
        expired.incrementAndGet();
    }

    @Override
    public void stopped() {
        throwIfSo();
        stopped.incrementAndGet();
    }

    @Override
    public void failed(Throwable cause) {
        if (endings() == 0) {
            failed.incrementAndGet();
        }
    }

    private void throwIfSo() {
        if (throwing) {
            throw new StackOverflowError("on purpose");
        }
    }

    @Override
    public String toString() {
        return key + number;
    }
}
