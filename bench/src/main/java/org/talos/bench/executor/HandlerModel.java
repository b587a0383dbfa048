// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.executor;

import java.util.Locale;
import java.util.Optional;
import org.talos.server.config.DispatchConfig.SelectionPolicy;

/** The threads that run the handlers. */
enum HandlerModel {
    /** The threads that read and write the sockets. */
    IO,
    /** A pool whose threads take from one queue; keeps no order. */
    PLAIN,
    /** The executor, a key's worker chosen by its hash. */
    HASH,
    /** The executor as the server runs it. */
    AFFINITY;

    /** How the executor chooses workers, if it is the executor. */
    Optional<SelectionPolicy> policy() {
        return switch (this) {
            case HASH -> Optional.of(SelectionPolicy.HASH);
            case AFFINITY -> Optional.of(SelectionPolicy.AFFINITY);
            default -> Optional.empty();
        };
    }

    /** As it is written in tables and on command lines. */
    String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    @Override
    public String toString() {
        return label();
    }
}
