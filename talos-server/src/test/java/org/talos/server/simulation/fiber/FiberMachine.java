// SPDX-License-Identifier: Apache-2.0
package org.talos.server.simulation.fiber;

/**
 * A machine whose fibers can be paused, suspended with their clocks, or ended all at once.
 *
 * <p>Confined: as {@link Fibers}.
 */
public final class FiberMachine {
    private final Fibers fibers;
    private final String name;
    private long pausedUntil;
    private long suspendedNanos;
    private boolean ended;

    FiberMachine(Fibers fibers, String name) {
        this.fibers = fibers;
        this.name = name;
    }

    /** Returns the machine's name in the history. */
    public String name() {
        return name;
    }

    /** Returns the machine's monotonic time, nanoseconds. It stops while the machine is suspended. */
    public long nanos() {
        return fibers.nanos() - suspendedNanos;
    }

    /** Returns how long the machine was suspended in all, nanoseconds. */
    public long suspendedNanos() {
        return suspendedNanos;
    }

    /** Stops the process for a while. Clocks continue. */
    public void pause(long nanos) {
        pausedUntil = Math.max(pausedUntil, fibers.nanos() + nanos);
    }

    /** Stops the machine for a while, with its clocks. */
    public void suspend(long nanos) {
        pause(nanos);
        suspendedNanos += nanos; // nobody on the machine reads a clock before it resumes
    }

    /** Ends the process: none of its fibers runs again. */
    public void end() {
        ended = true;
    }

    /** Returns whether the process has ended. */
    public boolean isEnded() {
        return ended;
    }

    /** Returns whether the machine is suspended. */
    public boolean isPaused() {
        return fibers.nanos() < pausedUntil;
    }

    long pausedUntil() {
        return pausedUntil;
    }
}
