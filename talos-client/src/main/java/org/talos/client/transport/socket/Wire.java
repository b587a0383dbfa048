// SPDX-License-Identifier: Apache-2.0
package org.talos.client.transport.socket;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * The bytes of one connection to a server, with or without TLS. An interrupt of a thread that reads or writes closes
 * the connection, as {@link #close} by another thread does.
 *
 * <p>Thread-safe for one thread that reads, one that writes, and any that close.
 */
public interface Wire {
    /**
     * Returns the bytes that have come and were not read: they come before all others. Reading moves the position; good
     * until the next call of this interface.
     */
    ByteBuffer arrived();

    /**
     * Says that the next bytes may be long in coming: they are waited for without memory that is lent, as far as
     * nothing is left in it.
     */
    void await();

    /**
     * Waits for bytes where none are left, and has them arrive.
     *
     * @return whether there are any; false once the server has ended the connection in order
     * @throws java.io.EOFException the connection was cut: with TLS its end is said
     */
    boolean fill() throws IOException;

    /**
     * Reads some bytes into a part of an array, one at least, and waits where none have come.
     *
     * @param end one past the last byte of the part, which is not empty
     * @return number of bytes read; -1 once the server has closed the connection properly
     * @throws java.io.EOFException the connection was cut: with TLS its end is said
     */
    int read(byte[] target, int from, int end) throws IOException;

    /**
     * Writes some buffers, whose positions do not change; the system has taken all bytes when this returns.
     *
     * @throws IOException the server has not got all of the bytes
     * @throws java.nio.channels.ClosedByInterruptException how many of them it got is unknown
     */
    void write(List<ByteBuffer> parts) throws IOException;

    /**
     * Returns the number of bytes that the system has taken, those of TLS itself included; for the thread that writes.
     */
    long written();

    /** Returns whether all that came was read, and the server has not ended the connection, as far as is known. */
    boolean isQuiet();

    /** Returns lent memory, and forgets bytes that were not read. */
    void release();

    /** Returns whether the server has neither ended the connection nor sent anything; for an idle connection. */
    boolean isAlive();

    /** Closes an idle connection, and notifies the server if that needs no waiting. */
    void disconnect();

    /** Closes the connection at once. */
    void close();
}
