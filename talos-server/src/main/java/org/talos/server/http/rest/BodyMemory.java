// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest;

import java.nio.ByteBuffer;
import java.util.function.LongPredicate;
import org.talos.server.http.rest.json.JsonMemory;
import org.talos.server.http.rest.json.ProblemException;
import org.talos.server.memory.RequestMemory;

/**
 * Reserves memory for the decoded form of a body. A body that can never fit is refused as too large; otherwise its
 * client would retry forever.
 *
 * <p>Thread-safe.
 */
public final class BodyMemory {
    private BodyMemory() {}

    /**
     * Reserves bytes.
     *
     * @param heldBytes number of bytes that the request holds already
     * @throws ProblemException 413: they never fit, even if no other request holds any; 503: others hold them now
     */
    public static void reserve(RequestMemory memory, long bytes, long heldBytes) {
        if (!tryReserve(memory, bytes, heldBytes)) {
            throw ProblemException.refused(503, "no-memory", "the server has no memory for this now");
        }
    }

    /** Reserves bytes for the tree of JSON, beside all that the request holds already. */
    static void reserveTree(RequestMemory memory, ByteBuffer json) {
        reserve(memory, JsonMemory.of(json), memory.heldBytes());
    }

    /** Returns a function that reserves further bytes beside all that the request holds, or returns false. */
    static LongPredicate reserving(RequestMemory memory) {
        return bytes -> tryReserve(memory, bytes, memory.heldBytes());
    }

    /**
     * Reserves bytes. Returns false, and reserves nothing, if others hold them now.
     *
     * @param heldBytes number of bytes that the request holds already
     * @throws ProblemException 413: they never fit, even if no other request holds any
     */
    private static boolean tryReserve(RequestMemory memory, long bytes, long heldBytes) {
        if (memory.tryReserve(bytes)) {
            return true;
        }
        long most = Math.max(0, memory.share().mostBeside(heldBytes));
        if (bytes > most) {
            throw ProblemException.refused(
                    413,
                    "request-too-large",
                    "reading the body takes " + bytes + " bytes of memory (expected: at most " + most
                            + " beside the body itself, by http.maxRequestMemoryBytes): send less at once, or a large"
                            + " message as its bytes, with another Content-Type than application/json");
        }
        return false;
    }
}
