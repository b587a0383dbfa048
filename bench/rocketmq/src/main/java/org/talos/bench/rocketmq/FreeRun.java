// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.rocketmq;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Ports of 127.0.0.1 that lie beside each other: a broker listens two below its own as well, and names one above it for
 * replicas. Immutable.
 */
final class FreeRun {
    private static final int LOWEST = 10_000; // below those that the system gives to whoever asks for any
    private static final int HIGHEST = 32_000;
    private static final int ATTEMPTS = 1_000;
    private static final Random RANDOM = new SecureRandom();

    private FreeRun() {}

    /** The first of so many ports, one behind the other, on which nobody listens now. */
    static int of(int ports) throws IOException {
        for (int i = 0; i < ATTEMPTS; i++) {
            int first = LOWEST + RANDOM.nextInt(HIGHEST - LOWEST - ports);
            if (areFree(first, ports)) {
                return first;
            }
        }
        throw new IOException("no " + ports + " free ports between " + LOWEST + " and " + HIGHEST);
    }

    private static boolean areFree(int first, int ports) throws IOException {
        List<ServerSocket> bound = new ArrayList<>();
        try {
            for (int i = 0; i < ports; i++) {
                bound.add(new ServerSocket(first + i, 1, InetAddress.getLoopbackAddress()));
            }
            return true;
        } catch (IOException e) {
            return false; // somebody else's: others may be free
        } finally {
            for (ServerSocket each : bound) {
                each.close();
            }
        }
    }
}
