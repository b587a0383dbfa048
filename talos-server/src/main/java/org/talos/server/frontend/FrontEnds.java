// SPDX-License-Identifier: Apache-2.0
package org.talos.server.frontend;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.runtime.Closing;

/**
 * All front ends of a server, which are started, drained, and closed together.
 *
 * <p>Thread-safe, apart from {@link #start} and {@link #close}, which one thread calls.
 */
public final class FrontEnds implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(FrontEnds.class);

    private final List<FrontEnd> all;

    /** @param all the main front end first; at least one */
    public FrontEnds(List<FrontEnd> all) {
        this.all = List.copyOf(all);
    }

    /** Starts them in their order. If one fails, {@link #close} closes those before it too. */
    public void start() throws IOException {
        for (FrontEnd each : all) {
            each.start();
        }
        for (FrontEnd each : all.subList(1, all.size())) {
            LOG.info("front end started name={} addresses={}", each.name(), each.addresses());
        }
    }

    /** Returns where the main front end listens. */
    public FrontEnd.Address address() {
        return all.get(0).addresses().get(0);
    }

    /** Returns the front end of a name. */
    public Optional<FrontEnd> find(String name) {
        return all.stream().filter(each -> each.name().equals(name)).findFirst();
    }

    /** Returns why one of them will never serve all connections again; empty while all do. */
    public Optional<String> failure() {
        return all.stream().flatMap(each -> each.failure().stream()).findFirst();
    }

    /** Asks the clients of each that hold a request without an end to continue at other servers. */
    public void drain() {
        all.forEach(FrontEnd::drain);
    }

    /** Ends the requests without an end of each: the first step of a stop. */
    public void endStreams() {
        all.forEach(FrontEnd::endStreams);
    }

    /** Closes them in reverse order, also when closing one of them fails. */
    @Override
    public void close() {
        Closing closing = new Closing();
        all.forEach(closing::add);
        closing.close();
    }
}
