// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.idle;

import java.io.IOException;
import java.nio.channels.ByteChannel;
import java.nio.channels.SocketChannel;
import java.util.Map;
import org.talos.client.ClientConfig;
import org.talos.client.TalosEndpoint;

/** Carries the bytes of a connection. Implementations are immutable. */
interface Transport extends AutoCloseable {
    /** TCP alone. */
    Transport PLAIN = new Transport() {};

    /** Returns the settings of the server, as in the environment. */
    default Map<String, String> ofServer() {
        return Map.of();
    }

    /** A client of the SDK that the server takes. */
    default ClientConfig client(TalosEndpoint server) {
        return ClientConfig.of(server);
    }

    /**
     * Begins on a connection that blocks; once that no longer does, neither does what is returned. A read of that takes
     * all that has come, or as much as there is room for.
     */
    default ByteChannel begin(SocketChannel connected) throws IOException {
        return connected;
    }

    @Override
    default void close() throws IOException {}
}
