// SPDX-License-Identifier: Apache-2.0
package org.talos.server.auth;

/**
 * A request without a valid signature, or with one that is not valid now. It is answered by an HTTP status, not by
 * Thrift.
 *
 * <p>Immutable.
 */
public final class AuthenticationException extends Exception {
    /** No, unknown or wrong credentials, or a body that is not the signed one. */
    private static final int INVALID_AUTH = 401;
    /** The client's clock is too far from the server's. */
    public static final int CLOCK_TOO_SKEWED = 412;

    private final int status;
    private final boolean mayBeAGuess;

    private AuthenticationException(int status, String sentence, boolean mayBeAGuess) {
        super(sentence, null, false, false); // an answer, not a bug: its stack is never read
        this.status = status;
        this.mayBeAGuess = mayBeAGuess;
    }

    /** Refuses right credentials whose time is over: 401, and no guess. */
    static AuthenticationException over(String sentence) {
        return new AuthenticationException(INVALID_AUTH, sentence, false);
    }

    /** Refuses a request that a right key has signed, but not as it has come: 401, and no guess. */
    static AuthenticationException notAsSigned(String sentence) {
        return new AuthenticationException(INVALID_AUTH, sentence, false);
    }

    /** Refuses a request that a right key has signed, by a clock that is too far off: 412, and no guess. */
    static AuthenticationException tooSkewed(String sentence) {
        return new AuthenticationException(CLOCK_TOO_SKEWED, sentence, false);
    }

    /** No credentials, or wrong ones: 401. */
    public static AuthenticationException unauthorized(String sentence) {
        return new AuthenticationException(INVALID_AUTH, sentence, true);
    }

    /** Returns whether the sender may have guessed the credentials. If not, it holds them, or has held them. */
    public boolean mayBeAGuess() {
        return mayBeAGuess;
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
