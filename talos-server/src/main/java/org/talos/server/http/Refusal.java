// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http;

/**
 * A request that is answered with a status other than 200: plain text, one sentence. Immutable.
 *
 * @param keepAlive whether the connection can serve another request; not if the body was left unread
 */
record Refusal(int status, String sentence, boolean keepAlive) {
    static Refusal of(int status, String sentence) {
        return new Refusal(status, sentence, true);
    }

    static Refusal bodyUnread(int status, String sentence) {
        return new Refusal(status, sentence, false);
    }
}
