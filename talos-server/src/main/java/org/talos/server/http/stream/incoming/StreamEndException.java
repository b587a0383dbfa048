// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.stream.incoming;

/** Ends a stream because of its client's error. Immutable. */
public final class StreamEndException extends Exception {
    private final CloseCode code;

    /**
     * An end with a reason.
     *
     * @param sentence for people; a close frame has room for 123 bytes
     */
    public StreamEndException(CloseCode code, String sentence) {
        super(sentence, null, false, false); // an answer, not a bug: its stack is never read
        this.code = code;
    }

    public static StreamEndException malformed(String sentence) {
        return new StreamEndException(CloseCode.MALFORMED, sentence);
    }

    public CloseCode code() {
        return code;
    }

    public String sentence() {
        return String.valueOf(getMessage());
    }
}
