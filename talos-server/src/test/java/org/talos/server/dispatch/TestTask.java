// SPDX-License-Identifier: Apache-2.0
package org.talos.server.dispatch;

import java.util.concurrent.atomic.AtomicInteger;

/** A task that counts how it ended. Thread-safe. */
final class TestTask implements Task<String> {
    final String key;
    final int number;
    final Priority priority;
    final long deadlineNanos;
    final AtomicInteger ran = new AtomicInteger();
    final AtomicInteger expired = new AtomicInteger();
    final AtomicInteger stopped = new AtomicInteger();

    TestTask(String key, int number, Priority priority, long deadlineNanos) {
        this.key = key;
        this.number = number;
        this.priority = priority;
        this.deadlineNanos = deadlineNanos;
    }

    static TestTask of(String key, int number) {
        return new TestTask(key, number, Priority.NORMAL, Long.MAX_VALUE / 2);
    }

    int endings() {
        return ran.get() + expired.get() + stopped.get();
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
        expired.incrementAndGet();
    }

    @Override
    public void stopped() {
        stopped.incrementAndGet();
    }

    @Override
    public String toString() {
        return key + number;
    }
}
