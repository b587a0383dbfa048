// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.stream;

/** Ends a stream for what its client has done. Immutable. */
final class StreamEndException extends Exception {
    private final CloseCode code;

    /**
     * An end with a reason.
     *
     * @param sentence for people; a close frame has room for 123 bytes
     */
    StreamEndException(CloseCode code, String sentence) {
        super(sentence, null, false, false); // an answer, not a bug: nobody reads its stack
        this.code = code;
    }

    static StreamEndException malformed(String sentence) {
        return new StreamEndException(CloseCode.MALFORMED, sentence);
    }

    CloseCode code() {
        return code;
    }

    String sentence() {
        return String.valueOf(getMessage());
    }
}
