// SPDX-License-Identifier: Apache-2.0
package org.talos.client.simulation;

import java.util.Date;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;

/** A lock of a machine, whose waits are steps of the simulation. Confined: as {@link Turns}. */
final class SimulatedLock implements Lock {
    private final Machine machine;
    private final Turns turns;
    private @Nullable Object owner;
    private int held;

    SimulatedLock(Machine machine) {
        this.machine = machine;
        turns = machine.turns();
    }

    private Object me() {
        Turns.SimulatedThread running = turns.running();
        return running == null ? turns : running;
    }

    @Override
    public void lock() {
        boolean interrupted = false;
        if (owner != me()) { // its owner takes it again without a wait, whoever else has a turn
            turns.mayYield();
        }
        while (owner != null && owner != me()) {
            try {
                machine.await(() -> owner == null, Long.MAX_VALUE);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        owner = me();
        held++;
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        while (owner != null && owner != me()) {
            machine.await(() -> owner == null, Long.MAX_VALUE);
        }
        owner = me();
        held++;
    }

    @Override
    public void unlock() {
        if (machine.isKilled()) {
            return; // on its way out, maybe of a wait in which it did not have it
        }
        if (owner != me()) {
            throw new IllegalMonitorStateException();
        }
        held--;
        if (held == 0) {
            owner = null;
        }
    }

    @Override
    public Condition newCondition() {
        return new Waits();
    }

    @Override
    public boolean tryLock() {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) {
        throw new UnsupportedOperationException();
    }

    /** A condition of the lock. Confined: as {@link Turns}. */
    private final class Waits implements Condition {
        private long signals;

        @Override
        public long awaitNanos(long nanos) throws InterruptedException {
            return untilSignal(nanos);
        }

        private long untilSignal(long nanos) throws InterruptedException {
            long until = turns.nanos() + nanos;
            long end = until < 0 ? Long.MAX_VALUE : until;
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            if (owner != me()) {
                throw new IllegalMonitorStateException();
            }
            long before = signals;
            int again = held;
            owner = null;
            held = 0;
            InterruptedException interruption = null;
            try {
                machine.await(() -> signals != before, end);
            } catch (InterruptedException e) {
                interruption = e;
            }
            lock();
            held = again;
            if (interruption != null) {
                throw interruption;
            }
            return end - turns.nanos();
        }

        @Override
        public void await() throws InterruptedException {
            var unused = untilSignal(Long.MAX_VALUE);
        }

        @Override
        public void signal() {
            signalAll(); // who waits must expect to be woken for nothing
        }

        @Override
        public void signalAll() {
            signals++;
        }

        @Override
        public void awaitUninterruptibly() {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean await(long time, TimeUnit unit) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean awaitUntil(Date deadline) {
            throw new UnsupportedOperationException();
        }
    }
}
