// SPDX-License-Identifier: Apache-2.0
package org.talos.server.tracing;

import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.talos.common.Release;
import org.talos.common.error.Exceptions;
import org.talos.common.error.TalosException;
import org.talos.server.config.ServerConfig.TracingConfig;

/**
 * Spans of a server's work, if an agent records them. A span ends, whatever the outcome of its work.
 *
 * <p>Thread-safe.
 */
public final class Tracing implements AutoCloseable {
    /** A tracing that traces nothing. */
    public static final Tracing OFF = new Tracing(null);

    private static final String SCOPE = "org.talos.server";
    private static final AttributeKey<String> SYSTEM = AttributeKey.stringKey("messaging.system");
    private static final AttributeKey<String> OPERATION = AttributeKey.stringKey("messaging.operation.name");
    private static final AttributeKey<String> TOPIC = AttributeKey.stringKey("messaging.destination.name");
    private static final AttributeKey<String> PARTITION = AttributeKey.stringKey("messaging.destination.partition.id");
    private static final AttributeKey<Long> MESSAGES = AttributeKey.longKey("messaging.batch.message_count");
    private static final AttributeKey<String> ERROR = AttributeKey.stringKey("error.type");

    private static final AtomicInteger WANTED = new AtomicInteger(); // servers of this process that trace

    private final @Nullable Tracer tracer; // null: off

    private Tracing(@Nullable Tracer tracer) {
        this.tracer = tracer;
    }

    /**
     * As the configuration says; {@code auto} is whether an agent, or the program that this server is part of, has set
     * up OpenTelemetry before.
     */
    public static Tracing of(TracingConfig config) {
        boolean on = switch (config.enabled()) {
            case AUTO -> GlobalOpenTelemetry.isSet();
            case TRUE -> true;
            case FALSE -> false;
        };
        if (!on) {
            return OFF;
        }
        WANTED.incrementAndGet();
        OpenTelemetry telemetry = GlobalOpenTelemetry.getOrNoop();
        return new Tracing(telemetry.getTracer(SCOPE, Release.version()));
    }

    /** Returns whether any server of this process traces: nothing is looked up for it otherwise. */
    public static boolean isWanted() {
        return WANTED.get() > 0;
    }

    /** The server makes no further spans; to be called once. */
    @Override
    public void close() {
        if (tracer != null) {
            WANTED.decrementAndGet();
        }
    }

    /** Returns whether spans are made: else call the work itself. */
    public boolean isOn() {
        return tracer != null;
    }

    /** A piece of work. Immutable. */
    public enum Work {
        /** A put, at the server that was asked and at that of the partition. */
        PUT("put", SpanKind.SERVER),
        /** A get, likewise. */
        GET("get", SpanKind.SERVER),
        /** A request that is forwarded to another server. */
        FORWARD("forward", SpanKind.CLIENT);

        private final String word;
        private final SpanKind kind;

        Work(String word, SpanKind kind) {
            this.word = word;
            this.kind = kind;
        }
    }

    /**
     * The attributes of a span. Immutable.
     *
     * @param topic name, or id where the name is not known
     * @param messages of a put; negative if not known
     */
    public record Subject(Work work, String topic, int partition, int messages) {
        /** The same request, as it is forwarded to another server. */
        public Subject forwarded() {
            return new Subject(Work.FORWARD, topic, partition, messages);
        }
    }

    /**
     * Runs work within a span that ends with it, and on this thread within that span.
     *
     * @param above null if the work belongs to no trace: its span is then the first of one
     */
    public <T> CompletionStage<T> within(
            Subject subject, @Nullable Trace above, Supplier<? extends CompletionStage<T>> work) {
        if (tracer == null) {
            return work.get();
        }
        Span span = start(tracer, subject, above);
        Trace inside = (above == null ? Trace.ofNobody() : above).below(span);
        CompletionStage<T> result;
        Trace.Entered entered = inside.enter();
        try {
            result = work.get();
        } catch (RuntimeException | Error e) {
            end(span, e);
            throw e;
        } finally {
            entered.leave();
        }
        return result.whenComplete((done, failure) -> end(span, failure));
    }

    private static Span start(Tracer tracer, Subject subject, @Nullable Trace above) {
        SpanBuilder builder = tracer.spanBuilder(subject.work.word)
                .setSpanKind(subject.work.kind)
                .setParent(above == null ? Context.current() : above.context())
                .setAttribute(SYSTEM, "talos")
                .setAttribute(OPERATION, subject.work.word)
                .setAttribute(TOPIC, subject.topic)
                .setAttribute(PARTITION, Integer.toString(subject.partition));
        if (subject.messages >= 0) {
            builder.setAttribute(MESSAGES, (long) subject.messages);
        }
        return builder.startSpan();
    }

    private static void end(Span span, @Nullable Throwable failure) {
        if (failure != null) {
            Throwable cause = Exceptions.unwrap(failure);
            span.setStatus(StatusCode.ERROR);
            span.setAttribute(
                    ERROR,
                    cause instanceof TalosException known
                            ? known.code().name()
                            : cause.getClass().getName());
        }
        span.end();
    }
}
