// SPDX-License-Identifier: Apache-2.0
package org.talos.server.tracing;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.ContextKey;
import io.opentelemetry.context.Scope;
import java.util.HexFormat;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.talos.common.message.TraceParent;

/**
 * The trace of a request: its parent span, and the client's trace headers. Belongs to a thread while {@link #enter}
 * holds.
 *
 * <p>Immutable.
 */
public final class Trace {
    private static final ContextKey<Trace> KEY = ContextKey.named("talos-trace");
    private static final int TRACE = 3; // places in a traceparent
    private static final int SPAN = 36;
    private static final int FLAGS = 53;

    private final Context context;
    private final Optional<String> sent;

    private Trace(Context context, Optional<String> sent) {
        this.context = context;
        this.sent = sent;
    }

    /**
     * Returns the trace of a request. If an agent has begun a span for it on this thread, that is the parent.
     *
     * @param header {@code traceparent} as it was sent
     * @return null if it has no trace headers and no agent watches it, or while no server of this process traces
     */
    public static @Nullable Trace of(@Nullable String header) {
        if (!Tracing.isWanted()) {
            return null;
        }
        Context here = Context.current();
        Optional<String> sent = TraceParent.of(header);
        boolean isWatched = Span.fromContext(here).getSpanContext().isValid();
        if (isWatched) {
            return new Trace(here, sent);
        }
        return sent.isPresent() ? new Trace(here.with(Span.wrap(context(sent.get()))), sent) : null;
    }

    private static SpanContext context(String traceparent) {
        return SpanContext.createFromRemoteParent(
                traceparent.substring(TRACE, SPAN - 1),
                traceparent.substring(SPAN, FLAGS - 1),
                TraceFlags.fromByte((byte) HexFormat.fromHexDigits(traceparent, FLAGS, traceparent.length())),
                TraceState.getDefault());
    }

    /** The trace of a request that belongs to none yet. */
    static Trace ofNobody() {
        return new Trace(Context.current(), Optional.empty());
    }

    /** Returns the trace of this thread; null if there is none. */
    public static @Nullable Trace current() {
        return Tracing.isWanted() ? Context.current().get(KEY) : null;
    }

    /** Returns the context of this thread's span for another server; null if it is in none. */
    public static @Nullable String currentTraceparent() {
        Trace current = current();
        if (current == null) {
            return null;
        }
        SpanContext span = Span.fromContext(current.context).getSpanContext();
        return span.isValid()
                ? "00-" + span.getTraceId() + "-" + span.getSpanId() + "-"
                        + span.getTraceFlags().asHex()
                : null;
    }

    /** Makes it this thread's, until the same thread leaves it. */
    @SuppressWarnings("MustBeClosedChecker") // by the caller that leaves: javac warns of a resource that is only held
    public Entered enter() {
        Scope scope = context.with(KEY, this).makeCurrent();
        return scope::close;
    }

    /** Until when a trace is a thread's. Confined: that thread. */
    @FunctionalInterface
    public interface Entered {
        /** Restores the thread's previous trace. */
        void leave();
    }

    /** Returns the trace that the client sent, if it was valid: it is kept with messages. */
    public Optional<String> sent() {
        return sent;
    }

    /** The same request within a span of it. */
    Trace below(Span span) {
        return new Trace(context.with(span), sent);
    }

    Context context() {
        return context;
    }
}
