// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.scale;

import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.talos.bench.load.LoadResult;
import org.talos.bench.load.PutGetLoad;
import org.talos.bench.load.RequestSource;
import org.talos.bench.load.WarmUp;
import org.talos.bench.load.Window;

/**
 * Requests of one connection that go to several partitions in turn. Confined: the loop's thread, but for {@link #sent}
 * after the run.
 */
public final class InTurn implements RequestSource {
    private final List<? extends RequestSource> sources;
    private long sent;

    /** @param sources one a partition, at least one */
    InTurn(List<? extends RequestSource> sources) {
        this.sources = List.copyOf(sources);
    }

    /** This number of connections, each with its share of the sources. */
    public static List<InTurn> spread(List<? extends RequestSource> sources, int connections) {
        List<InTurn> all = new ArrayList<>();
        for (int first = 0; first < connections; first++) {
            List<RequestSource> own = new ArrayList<>();
            for (int each = first; each < sources.size(); each += connections) {
                own.add(sources.get(each));
            }
            all.add(new InTurn(own));
        }
        return all;
    }

    /**
     * Fills a server: puts on all connections until they have sent so many together, or a few more, and waits for the
     * answers.
     *
     * @return how many were acknowledged
     * @throws IOException one was not
     */
    public static long fill(URI server, List<InTurn> puts, long messages) throws IOException {
        WarmUp full = nanos -> puts.stream().mapToLong(InTurn::sent).sum() >= messages;
        LoadResult result = new PutGetLoad(server, full, Duration.ZERO)
                .add(ScalePoint.PUT, puts, 0)
                .runOne(Window.NOBODY);
        return result.succeeded();
    }

    /** Returns how many requests it has made. */
    long sent() {
        return sent;
    }

    /** Returns whether each partition has had an answer. */
    boolean hasBeenEverywhere() {
        return sent > sources.size();
    }

    private RequestSource current() {
        return sources.get((int) ((sent - 1) % sources.size()));
    }

    @Override
    public ByteBuffer next() {
        sent++;
        return current().next();
    }

    @Override
    public Outcome answered(ByteBuffer body) {
        return current().answered(body);
    }
}
