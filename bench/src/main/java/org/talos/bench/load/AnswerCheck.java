// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.load;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Decides whether an answer with status 200 says that the request succeeded. Implementations are immutable. */
public interface AnswerCheck {
    /** Every answer is good. */
    AnswerCheck ANY = body -> true;

    /** A Thrift answer in the compact protocol that holds a result, not an exception of either kind. */
    AnswerCheck THRIFT_RESULT = body -> {
        int reply = 0x41;
        int structAtLongFieldZero = 0x0c;
        int nameLength = body.get(3);
        return body.get(1) == reply
                && body.get(4 + nameLength) == structAtLongFieldZero
                && body.get(5 + nameLength) == 0;
    };

    /**
     * Checks an answer.
     *
     * @param body from position to limit; indexes count from 0
     */
    boolean good(ByteBuffer body);

    /** An answer as far as it can be shown to a person. */
    static String shown(ByteBuffer body) {
        byte[] bytes = new byte[Math.min(200, body.remaining())];
        body.duplicate().get(bytes);
        return new String(bytes, StandardCharsets.US_ASCII).replaceAll("[^ -~]", ".");
    }
}
