// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.message;

import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.talos.server.partition.serving.PartitionRoutes.Route;
import org.talos.server.tracing.Trace;
import org.talos.server.tracing.Tracing;
import org.talos.server.tracing.Tracing.Subject;

/** The spans of requests about a partition: one for the request, and one in it if it continues. Thread-safe. */
final class Spans {
    private final Tracing tracing;

    Spans(Tracing tracing) {
        this.tracing = tracing;
    }

    /** Returns whether there are any: nothing need be made for them otherwise. */
    boolean areMade() {
        return tracing.isOn();
    }

    <T> CompletionStage<T> around(
            Subject subject, @Nullable Trace above, Route route, Supplier<CompletionStage<T>> work) {
        Supplier<CompletionStage<T>> inside =
                route.transferred() ? () -> tracing.within(subject.forwarded(), Trace.current(), work) : work;
        return tracing.within(subject, above, inside);
    }
}
