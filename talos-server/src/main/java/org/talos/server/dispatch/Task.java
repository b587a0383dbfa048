// SPDX-License-Identifier: Apache-2.0
package org.talos.server.dispatch;

/**
 * A unit of work of one key. It ends exactly once: it runs (as part of a batch), expires, is stopped, or fails. A task
 * that was refused at submission is not notified.
 *
 * <p>Confined: the executor, which calls one of its endings once, and {@link #failed} perhaps after another.
 *
 * @param <K> key that keeps tasks in order; compared by equals
 */
public interface Task<K> {
    /** Tasks of equal keys run one after another. */
    K key();

    /** Among the tasks of a worker, more urgent ones run first. */
    Priority priority();

    /** Instant of the executor's ticker after which it must not start. */
    long deadlineNanos();

    /**
     * The deadline has passed before it was started. Called on the timer's thread or a worker: must be short, and must
     * not block.
     */
    void expired();

    /** The executor has shut down before it was started. Must be short, and must not block. */
    void stopped();

    /**
     * The batch that it was part of, or another ending of its own, has thrown: its effect is unknown. Ignored by a task
     * that has already ended. Must be short, and must not block.
     */
    void failed(Throwable cause);
}
