// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest;

import java.util.Optional;
import java.util.function.Supplier;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.talos.server.http.HttpPort;
import org.talos.server.http.rest.json.ProblemException;
import org.talos.server.http.rest.stream.OpenStreams;
import org.talos.server.memory.RequestMemory;

/**
 * The answer that makes a request's connection something else: counts that among the streams until it is over, and has
 * it take the connection.
 *
 * <p>Invariant: counts and memory are released, however the upgrade ends, possibly twice.
 *
 * <p>Confined: one request; the end may come on any thread.
 */
final class UpgradeAnswer {
    private final Upgrade.Upgraded upgraded;
    private final HttpPort.Parts parts;
    private final OpenStreams streams;
    private final RequestMemory memory;

    private UpgradeAnswer(Upgrade.Upgraded upgraded, HttpPort.Parts parts, OpenStreams streams, RequestMemory memory) {
        this.upgraded = upgraded;
        this.parts = parts;
        this.streams = streams;
        this.memory = memory;
    }

    /**
     * Counts it; nothing has been answered yet.
     *
     * @param memory of the request: so far it was reserved for the opening
     * @param bytes held from now on
     * @throws ProblemException 503 or 429: there are too many
     */
    static UpgradeAnswer of(
            Upgrade.Upgraded upgraded,
            String userId,
            HttpPort.Parts parts,
            OpenStreams streams,
            RequestMemory memory,
            long bytes) {
        streams.add(upgraded, userId);
        memory.releaseAll();
        memory.take(bytes);
        return new UpgradeAnswer(upgraded, parts, streams, memory);
    }

    /**
     * Answers the request.
     *
     * @param ending ends the exchange; empty if the request is answered already
     * @param head sets status and headers
     */
    void write(Request request, Response response, Supplier<Optional<Callback>> ending, Runnable head) {
        boolean begun = false;
        try {
            Optional<Callback> callback = ending.get();
            if (callback.isPresent()) {
                head.run();
                begun = upgraded.begin(request, response, ended(callback.get()), this::end);
            }
        } finally {
            if (!begun) {
                end();
            }
        }
        if (!begun) {
            throw new IllegalStateException("a request that was not upgraded");
        }
    }

    private Callback ended(Callback callback) {
        return Callback.from(parts.invocation(), callback::succeeded, cause -> {
            end();
            try {
                parts.metrics().lost();
            } finally {
                callback.failed(cause);
            }
        });
    }

    private void end() {
        streams.remove(upgraded);
        memory.close();
    }
}
