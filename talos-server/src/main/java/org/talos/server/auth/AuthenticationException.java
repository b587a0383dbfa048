// SPDX-License-Identifier: Apache-2.0
package org.talos.server.auth;

/**
 * A request that nobody known has signed, or not now. Answered by its status, outside Thrift.
 *
 * <p>Immutable.
 */
public final class AuthenticationException extends Exception {
    /** No, unknown or wrong credentials, or a body that is not the signed one. */
    static final int INVALID_AUTH = 401;
    /** The client's clock is too far from the server's. */
    public static final int CLOCK_TOO_SKEWED = 412;

    private final int status;

    AuthenticationException(int status, String sentence) {
        super(sentence, null, false, false); // an answer, not a bug: nobody reads its stack
        this.status = status;
    }

    /** No credentials, or wrong ones: 401. */
    public static AuthenticationException unauthorized(String sentence) {
        return new AuthenticationException(INVALID_AUTH, sentence);
    }

    /** The HTTP status of the answer. */
    public int status() {
        return status;
    }

    /** The text of the answer; holds nothing of the client's headers. */
    public String sentence() {
        return String.valueOf(getMessage());
    }
}
