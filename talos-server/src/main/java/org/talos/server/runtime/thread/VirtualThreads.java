// SPDX-License-Identifier: Apache-2.0
package org.talos.server.runtime.thread;

import java.lang.Thread.UncaughtExceptionHandler;
import java.util.concurrent.ThreadFactory;

/**
 * Creates virtual threads, which hold no kernel thread while they wait, named and logged like those of
 * {@link NamedThreads}. The JDK has them since 21. Since 24 they may wait inside {@code synchronized}, which libraries
 * use everywhere. Talos is built for 17, so it calls them by reflection.
 *
 * <p>Thread-safe.
 */
public final class VirtualThreads implements ThreadFactory {
    /** The first JDK whose virtual threads the server uses. */
    public static final int FIRST_JDK = 24;

    private final ThreadFactory threads;

    /**
     * Threads of one role.
     *
     * @throws IllegalStateException this JDK is too old
     */
    public VirtualThreads(String role) {
        if (!areThere()) {
            throw new IllegalStateException(
                    "virtual threads: JDK " + Runtime.version().feature() + " (expected: " + FIRST_JDK + " or newer)");
        }
        threads = factory("talos-" + role + "-");
    }

    /** Returns whether this JDK has suitable virtual threads. */
    public static boolean areThere() {
        return Runtime.version().feature() >= FIRST_JDK;
    }

    private static ThreadFactory factory(String prefix) {
        try {
            Class<?> builder = Class.forName("java.lang.Thread$Builder"); // its methods change it and return it
            Object virtual = Thread.class.getMethod("ofVirtual").invoke(null);
            Object named = builder.getMethod("name", String.class, long.class).invoke(virtual, prefix, 0L);
            Object logged = builder.getMethod("uncaughtExceptionHandler", UncaughtExceptionHandler.class)
                    .invoke(named, NamedThreads.LOGS_DEATH);
            return (ThreadFactory) builder.getMethod("factory").invoke(logged);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("not the virtual threads of JDK " + FIRST_JDK, e);
        }
    }

    @Override
    public Thread newThread(Runnable work) {
        return threads.newThread(work);
    }
}
