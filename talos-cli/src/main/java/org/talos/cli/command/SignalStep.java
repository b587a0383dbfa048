// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.command;

import java.util.concurrent.Executors;

/**
 * A step that runs if a signal, like that of Ctrl-C, ends the process between its beginning and its close.
 *
 * <p>Confined: the main thread, but for the step, which a thread of the JVM's end runs.
 */
final class SignalStep implements AutoCloseable {
    private final Thread thread;
    private boolean isBegun;

    /** Creates a step that does not run before it has begun. */
    SignalStep(Runnable step) {
        thread = Executors.defaultThreadFactory().newThread(step);
    }

    /** Begins: from now on, a signal runs the step. */
    void begin() {
        Runtime.getRuntime().addShutdownHook(thread);
        isBegun = true;
    }

    @Override
    public void close() {
        if (isBegun) {
            isBegun = false;
            forget();
        }
    }

    private void forget() {
        try {
            var unused = Runtime.getRuntime().removeShutdownHook(thread);
        } catch (IllegalStateException e) {
            isBegun = false; // the JVM ends already, and runs the step
        }
    }
}
