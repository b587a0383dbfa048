// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.neighbors;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.LongAdder;
import org.talos.bench.stream.StreamConnection;

/** Puts over a stream, as much as the credit allows, many puts with one write. Confined: its thread. */
final class StreamLoad implements NeighborLoad {
    private static final byte STORED = (byte) 0x82;
    private static final byte CREDIT = (byte) 0x84;
    private static final int WINDOW = 2 << 20;
    private static final int AT_ONCE = 64;

    private final NeighborTarget target;
    private final int partition;
    private final ByteBuffer message;

    StreamLoad(NeighborTarget target, int thread, int bytes) {
        this.target = target;
        partition = thread % target.partitions();
        byte[] random = new byte[bytes];
        new SplittableRandom(thread).nextBytes(random);
        message = ByteBuffer.wrap(random);
    }

    @Override
    public void run(LongAdder done) throws IOException {
        try (StreamConnection connection = StreamConnection.open(
                target.address(), target.authority(), target.credential(), target.topic(), WINDOW)) {
            int cost = AT_ONCE * (StreamConnection.HEAD_BYTES + message.remaining());
            long credit = WINDOW;
            long number = 0;
            while (true) {
                while (credit >= cost) {
                    connection.putEach(partition, number, AT_ONCE, message);
                    number += AT_ONCE;
                    credit -= cost;
                }
                ByteBuffer answer = connection.read();
                if (answer.get(0) == CREDIT) {
                    credit += answer.getInt(4);
                } else if (answer.get(0) == STORED) {
                    done.add(answer.getInt(4));
                }
            }
        }
    }
}
