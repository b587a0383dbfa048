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
    Transport PLAIN = new Transport() {
        @Override
        public Map<String, String> ofServer() {
            return Map.of();
        }

        @Override
        public ClientConfig client(TalosEndpoint server) {
            return ClientConfig.of(server);
        }

        @Override
        public ByteChannel begin(SocketChannel connected) {
            return connected;
        }

        @Override
        public void close() {}
    };

    /** Returns the settings of the server, as in the environment. */
    Map<String, String> ofServer();

    /** A client of the SDK that the server takes. */
    ClientConfig client(TalosEndpoint server);

    /**
     * Begins on a connection that blocks; once that no longer does, neither does what is returned. A read of that takes
     * all that has come, or as much as there is room for.
     */
    ByteChannel begin(SocketChannel connected) throws IOException;

    @Override
    void close() throws IOException;
}
