// SPDX-License-Identifier: Apache-2.0
package org.talos.devcluster;

import java.io.IOException;
import java.net.ServerSocket;
import java.security.SecureRandom;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Ports for servers whose address has to be known before they listen, or has to stay theirs while they are down. They
 * lie below those that the system gives to outgoing connections and to whoever asks for any port, one of which would
 * otherwise take the port of a server that has not begun or is being restarted.
 *
 * <p>Thread-safe.
 */
public final class FreePorts {
    static final int LOWEST = 10_000;
    static final int HIGHEST = 32_000;
    private static final int ATTEMPTS = 1_000;
    private static final Random RANDOM = new SecureRandom(); // programs that start side by side must not draw the same

    private static final Set<Integer> GIVEN = ConcurrentHashMap.newKeySet();

    private FreePorts() {}

    /** Returns a port of 127.0.0.1 that nobody listens on, drawn at random; in one program never the same twice. */
    public static int next() throws IOException {
        for (int i = 0; i < ATTEMPTS; i++) {
            int port = LOWEST + RANDOM.nextInt(HIGHEST - LOWEST);
            if (isFree(port) && GIVEN.add(port)) {
                return port;
            }
        }
        throw new IOException("no free port between " + LOWEST + " and " + HIGHEST);
    }

    /** Returns whether a server could listen on it at 127.0.0.1 now. */
    static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket()) {
            socket.bind(Ports.address(port));
            return true;
        } catch (IOException e) {
            return false; // somebody else's: the next one may be free
        }
    }
}
