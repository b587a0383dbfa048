// SPDX-License-Identifier: Apache-2.0
package org.talos.launcher.local;

import org.talos.server.runtime.thread.NamedThreads;

/** Actions that run when the process is asked to end. Immutable. */
public final class ShutdownHooks {
    private ShutdownHooks() {}

    /** Runs a step when the process ends, by itself or by a signal. */
    public static void onExit(String role, Runnable step) {
        Runtime.getRuntime().addShutdownHook(new NamedThreads(role).newThread(step));
    }
}
