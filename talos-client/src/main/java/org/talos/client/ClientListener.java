// SPDX-License-Identifier: Apache-2.0
package org.talos.client;

import java.net.URI;
import java.time.Duration;
import java.util.Optional;

/**
 * Is told what a client does, for metrics. Called on the client's threads: its methods must be short and must not
 * throw.
 *
 * <p>Thread-safe.
 */
public interface ClientListener {
    /** Wants to know nothing. */
    ClientListener NONE = new ClientListener() {};

    /**
     * One try of a call has ended.
     *
     * @param call its name in the protocol, {@code putMessage} say
     */
    default void called(String call, URI server, Duration took, Optional<TalosClientException> failure) {}

    /** A call failed and is made again after a pause. */
    default void repeating(String call, TalosClientException failure, Duration pause) {}
}
