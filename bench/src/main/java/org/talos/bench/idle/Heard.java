// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.idle;

/** The answers that a connection has had from the server. Immutable. */
enum Heard {
    /** That it is known: from now on it waits. */
    OPENED,
    /** That the server is there: a comment, a ping or a pong. */
    SIGN,
    /** That its wait is over without a message: it has to ask again. */
    NO_MESSAGE,
    /** Its message. */
    MESSAGE
}
