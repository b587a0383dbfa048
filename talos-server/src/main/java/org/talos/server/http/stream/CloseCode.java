// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.stream;

/** Why a stream ends, as its client sees it: the close codes of WebSockets that the server sends. */
enum CloseCode {
    /** The client answers no ping. */
    SILENT(1001),
    /** A message of an unknown type, of lying lengths, or not of its form. */
    MALFORMED(1002),
    /** Text where binary is due. */
    NOT_BINARY(1003),
    /** Sent beyond the credit, too often, or with a key that is gone. */
    NOT_ALLOWED(1008),
    /** Larger than the largest put. */
    TOO_LARGE(1009),
    /** The server failed. */
    FAILED(1011),
    /** The server stops. */
    MOVED(1012),
    /** A message came too slowly. */
    TOO_SLOW(1013);

    private final int number;

    CloseCode(int number) {
        this.number = number;
    }

    /** The number that is sent. */
    int number() {
        return number;
    }
}
