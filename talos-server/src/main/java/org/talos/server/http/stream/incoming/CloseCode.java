// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.stream.incoming;

/** Why a stream ends, as its client sees it: the close codes of WebSockets that the server sends. */
public enum CloseCode {
    /** The client has not answered a ping. */
    SILENT(1001),
    /** A message of an unknown type, of lying lengths, or not of its form. */
    MALFORMED(1002),
    /** Text where binary is due, or binary where text is. */
    OTHER_KIND(1003),
    /** Text that is not UTF-8, or not JSON as it is read here. */
    NOT_JSON(1007),
    /** Sent beyond the credit, too often, or with a key that is gone. */
    NOT_ALLOWED(1008),
    /** Larger than the largest put. */
    TOO_LARGE(1009),
    /** The server failed. */
    FAILED(1011),
    /** The server stops. */
    MOVED(1012),
    /** A message came too slowly, or there is no memory for a text. */
    LATER(1013);

    private final int number;

    CloseCode(int number) {
        this.number = number;
    }

    /** The number that is sent. */
    public int number() {
        return number;
    }
}
