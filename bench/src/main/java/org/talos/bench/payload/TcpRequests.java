// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.payload;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.talos.bench.load.AnswerCheck;
import org.talos.bench.load.LoadResult;
import org.talos.bench.load.RequestSource;

/**
 * The carrier of plain TCP: requests to a {@link TcpSink}, each answered once all its bytes have arrived. Confined: the
 * sweep's thread.
 */
final class TcpRequests implements Carrier {
    static final String LABEL = "tcp";

    /** For a person. */
    static final String DESCRIBED =
            "tcp: own copier, a process that reads each body and answers at once (no iperf3 here)";

    private final InetSocketAddress sink;
    private final Loop loop;
    private final long seed;

    TcpRequests(InetSocketAddress sink, Loop loop, long seed) {
        this.sink = sink;
        this.loop = loop;
        this.seed = seed;
    }

    @Override
    public String label() {
        return LABEL;
    }

    @Override
    public PayloadFigures measure(Cell cell, Way way) throws IOException {
        List<RequestSource> sources = new ArrayList<>();
        for (int client = 0; client < cell.clients(); client++) {
            byte[] bytes = new byte[cell.size()];
            new SplittableRandom(seed + client).nextBytes(bytes);
            ByteBuffer request = ByteBuffer.allocateDirect(TcpSink.HEAD_BYTES + bytes.length)
                    .putLong(bytes.length)
                    .put(bytes);
            sources.add(request::rewind);
        }
        LoadResult load = loop.run(way.to(sink), sources, AnswerCheck.ANY);
        return PayloadFigures.ofRequests(LABEL, cell, load, load.succeeded());
    }
}
