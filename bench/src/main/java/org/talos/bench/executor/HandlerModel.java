// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.executor;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.talos.bench.variant.SelectionPolicy;

/** The threads that run the handlers. */
enum HandlerModel {
    /** The threads that read and write the sockets. */
    IO,
    /** A pool whose threads take from one queue; keeps no order. */
    PLAIN,
    /** The executor, a key's worker chosen by its hash. */
    HASH,
    /** The executor as the server runs it. */
    AFFINITY,
    /** The same with virtual workers, as many as there are by default, whatever number is asked for. */
    AUTO;

    /** Returns how the executor chooses workers, if it is the executor. */
    Optional<SelectionPolicy> policy() {
        return switch (this) {
            case HASH -> Optional.of(SelectionPolicy.HASH);
            case AFFINITY, AUTO -> Optional.of(SelectionPolicy.AFFINITY);
            default -> Optional.empty();
        };
    }

    /** Those that there are with platform or with virtual workers. */
    static List<HandlerModel> all(boolean virtual) {
        return Arrays.stream(values()).filter(each -> virtual || each != AUTO).toList();
    }

    /** Those of them that claims compare. */
    static List<HandlerModel> claimed(boolean virtual) {
        return all(virtual).stream().filter(each -> each != IO && each != HASH).toList();
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
