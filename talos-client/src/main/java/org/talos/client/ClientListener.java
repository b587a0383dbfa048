// SPDX-License-Identifier: Apache-2.0
package org.talos.client;

import java.net.URI;
import java.time.Duration;
import java.util.Optional;

/**
 * Is notified of every try and every repetition of a client's calls, for metrics. Its methods must be short and must
 * not throw.
 *
 * <p>Thread-safe: the client's threads call it, several at once.
 */
public interface ClientListener {
    /** A listener that does nothing. */
    ClientListener NONE = new ClientListener() {};

    /**
     * One try of a call has ended.
     *
     * @param call its name in the protocol, such as {@code putMessage}
     */
    default void called(String call, URI server, Duration took, Optional<TalosClientException> failure) {}

    /** A call failed, and the client repeats it after a pause. */
    default void repeating(String call, TalosClientException failure, Duration pause) {}
}
