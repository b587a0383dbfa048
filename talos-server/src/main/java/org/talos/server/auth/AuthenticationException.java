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
    private final boolean mayBeAGuess;

    AuthenticationException(int status, String sentence) {
        this(status, sentence, true);
    }

    private AuthenticationException(int status, String sentence, boolean mayBeAGuess) {
        super(sentence, null, false, false); // an answer, not a bug: nobody reads its stack
        this.status = status;
        this.mayBeAGuess = mayBeAGuess;
    }

    /** Right credentials whose time is over: 401, of whose sender it is known that he has not guessed them. */
    static AuthenticationException over(String sentence) {
        return new AuthenticationException(INVALID_AUTH, sentence, false);
    }

    /**
     * A request that was changed on the way, of whose sender it is known that he has not guessed the credentials: 401.
     */
    static AuthenticationException changed(String sentence) {
        return new AuthenticationException(INVALID_AUTH, sentence, false);
    }

    /** No credentials, or wrong ones: 401. */
    public static AuthenticationException unauthorized(String sentence) {
        return new AuthenticationException(INVALID_AUTH, sentence);
    }

    /** Whether who sent the credentials may have guessed them, so that it counts as a wrong guess. */
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
