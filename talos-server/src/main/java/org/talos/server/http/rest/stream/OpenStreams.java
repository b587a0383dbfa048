// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.stream;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.talos.server.http.rest.json.ProblemException;

/** The requests that have no end of their own: counted, and ended when the server stops. Thread-safe. */
public final class OpenStreams {
    private final int max;
    private final Set<Stream> open = ConcurrentHashMap.newKeySet();
    private volatile boolean stopped;

    public OpenStreams(int max) {
        this.max = max;
    }

    /** A request or an answer without an end. Thread-safe. */
    public interface Stream {
        /** Ends the stream soon, in order. */
        void stop();
    }

    /**
     * Adds a stream.
     *
     * @throws ProblemException 503: there are too many, or the server stops
     */
    public void add(Stream stream) {
        open.add(stream);
        if (stopped || open.size() > max) {
            open.remove(stream);
            throw ProblemException.refused(503, "too-many-streams", "no further stream is taken now");
        }
    }

    /** Removes a stream that has ended, or was never started. */
    public void remove(Stream stream) {
        open.remove(stream);
    }

    int count() {
        return open.size();
    }

    /** Refuses further streams, and ends those that are open. */
    public void stop() {
        stopped = true;
        List.copyOf(open).forEach(Stream::stop);
    }

    public boolean isStopped() {
        return stopped;
    }
}
