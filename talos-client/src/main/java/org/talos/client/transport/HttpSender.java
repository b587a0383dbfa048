// SPDX-License-Identifier: Apache-2.0
package org.talos.client.transport;

import java.io.IOException;

/**
 * Sends requests, each once, and reads the answers. An interrupt ends a call and its connection.
 *
 * <p>Thread-safe.
 */
interface HttpSender {
    /**
     * Sends a request and waits for its answer, without an end but an interrupt once it is connected.
     *
     * @throws java.net.ConnectException no connection was made: nothing has happened
     * @throws UnsentException the request was not sent whole: nothing can have happened
     * @throws CallFailure the answer is larger than a client takes; or nothing was sent, as this program lacks memory
     *     or sockets
     * @throws IOException there is no answer; what has happened is not known
     */
    HttpAnswer post(HttpCall call) throws IOException, InterruptedException, CallFailure;

    /** Lets connections go that no call uses; those of calls under way go with them. */
    void close();

    /** A request of which the server got a part at most, and so could not carry out. Immutable. */
    final class UnsentException extends IOException {
        private static final long serialVersionUID = 1;

        UnsentException(IOException cause) {
            super(cause.getMessage(), cause);
        }
    }
}
