// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http;

/**
 * An answer with a status other than 200: plain text, one sentence. Immutable.
 *
 * @param keepAlive whether the connection can serve another request; not if the body was left unread
 * @param retryAfterSeconds time after which to retry, where the status says that it is worth it
 */
public record Refusal(int status, String sentence, boolean keepAlive, int retryAfterSeconds) {
    public static Refusal of(int status, String sentence) {
        return new Refusal(status, sentence, true, 1);
    }

    public static Refusal bodyUnread(int status, String sentence) {
        return new Refusal(status, sentence, false, 1);
    }

    /** Returns this refusal, on a connection that continues or not. */
    public Refusal with(boolean continues) {
        return new Refusal(status, sentence, continues, retryAfterSeconds);
    }

    /** Returns this refusal for a client that may retry after this time. */
    Refusal after(int seconds) {
        return new Refusal(status, sentence, keepAlive, seconds);
    }
}
