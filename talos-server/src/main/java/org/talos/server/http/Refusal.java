// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http;

/**
 * An answer with a status other than 200: plain text, one sentence. Immutable.
 *
 * @param keepAlive whether the connection can serve another request; not if the body was left unread
 */
public record Refusal(int status, String sentence, boolean keepAlive) {
    public static Refusal of(int status, String sentence) {
        return new Refusal(status, sentence, true);
    }

    public static Refusal bodyUnread(int status, String sentence) {
        return new Refusal(status, sentence, false);
    }
}
