// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.synchronous;

import java.time.Duration;
import java.util.function.Consumer;

/** A client library whose callers wait. Thread-safe, but for each putter and each getter. */
public interface SynchronousClient extends AutoCloseable {
    /** Puts to one partition. Confined: one thread. */
    interface Putter {
        /**
         * Puts a message and waits until the server has acknowledged it.
         *
         * @param message the caller's, which changes it once this has returned
         * @throws Exception it may or may not be stored
         */
        void put(byte[] message) throws Exception;
    }

    /** Gets from one partition, from its beginning. Confined: one thread at a time. */
    interface Getter extends AutoCloseable {
        /**
         * Hands over the next messages; waits for the first of them.
         *
         * @param within about as long as it waits, if the library lets its callers say so
         * @return how many there were; 0 if none has come
         */
        int get(Duration within, Consumer<byte[]> messages) throws Exception;

        @Override
        default void close() {}
    }

    /** Returns a putter for a partition. */
    Putter putter(int partition) throws Exception;

    /** Returns a getter for a partition. */
    Getter getter(int partition) throws Exception;

    /** Returns how many messages the server has, in all partitions of the topic. */
    long stored() throws Exception;

    @Override
    void close();
}
