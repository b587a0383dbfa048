// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.neighbors;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.concurrent.atomic.LongAdder;
import org.talos.bench.hostile.wire.Http2;

/** Begins gets over HTTP/2 and resets each at once, until the server ends the connection. Confined: its thread. */
final class ResetLoad implements NeighborLoad {
    /** Another one of this machine than the good user's: the server refuses the address of such a load. */
    private static final String ADDRESS = "127.0.0.2";

    private static final int REQUESTS = 1_000;
    private static final int TIMEOUT_MILLIS = 5_000;

    private final NeighborTarget target;
    private final byte[] bytes;

    ResetLoad(NeighborTarget target) {
        this.target = target;
        String pair = target.keyId() + ":" + target.secret();
        String basic = "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8));
        String path = "/v1/topics/" + target.topic() + "/partitions/0/messages?wait=10000&from=latest";
        Http2 connection = Http2.open(target.authority());
        for (int i = 0; i < REQUESTS; i++) {
            connection.reset(connection.get(path, "authorization", basic));
        }
        bytes = connection.take();
    }

    @Override
    public void run(LongAdder done) throws IOException {
        try (Socket socket = new Socket()) {
            socket.bind(new InetSocketAddress(ADDRESS, 0));
            socket.connect(target.address());
            socket.setSoTimeout(TIMEOUT_MILLIS);
            done.increment();
            socket.getOutputStream().write(bytes);
            InputStream in = socket.getInputStream();
            while (in.read() >= 0) {
                in.skipNBytes(in.available());
            }
        }
    }
}
