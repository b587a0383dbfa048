// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.call;

import java.util.Collection;
import java.util.function.ToLongFunction;
import org.talos.common.error.TalosException;
import org.talos.server.memory.RequestMemory;
import org.talos.thrift.ErrorCode;

/**
 * Memory for an answer whose size grows with the stored data. It is reserved in the caller's share before the rows are
 * read and the answer is built, and held until the answer has been written.
 *
 * <p>Thread-safe.
 *
 * @param request holds the reserved memory
 */
public record AnswerMemory(RequestMemory request) {
    /** The remedy for a client whose answer has few rows. */
    public static final String LESS = "ask for less at once";

    /** Objects of one row in the answer, their encoded form, and numbers. Names and other text count in addition. */
    private static final int ROW_BYTES = 256;
    /** A character in a string of a row, and in the encoded answer. */
    private static final int CHARACTER_BYTES = 4;

    /** Returns the approximate bytes of an answer for a row with this much text. */
    public static long row(long characters) {
        return ROW_BYTES + CHARACTER_BYTES * characters;
    }

    /**
     * Reserves bytes.
     *
     * @param remedy alternative for the client, as a sentence's end
     * @throws TalosException EXCESSIVE_PENDING_MESSAGE: the caller's share does not have that much left now;
     *     REQUEST_TOO_LARGE: it never has
     */
    public void reserve(long bytes, String remedy) {
        if (request.tryReserveAnswer(bytes)) {
            return;
        }
        if (request.neverFitsAnswer(bytes)) {
            throw TalosException.refused(
                    ErrorCode.REQUEST_TOO_LARGE, "this server never has the memory for so large an answer: " + remedy);
        }
        throw TalosException.refused(
                ErrorCode.EXCESSIVE_PENDING_MESSAGE,
                "the server has no memory now for so large an answer: try again, or " + remedy);
    }

    /** Reserves bytes of an answer of few rows, as {@link #reserve(long, String)} does. */
    public void reserve(long bytes) {
        reserve(bytes, LESS);
    }

    /** Reserves the bytes of all these rows at once, as {@link #reserve(long, String)} does. */
    public <T> void reserve(Collection<T> rows, ToLongFunction<T> bytes, String remedy) {
        reserve(rows.stream().mapToLong(bytes).sum(), remedy);
    }
}
