// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.call;

import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.thrift.TBase;
import org.jspecify.annotations.Nullable;
import org.talos.common.error.TalosException;
import org.talos.server.metadata.MetadataException;
import org.talos.server.partition.serving.Failures;
import org.talos.thrift.ErrorCode;

/**
 * The calls of each service by name, and where each runs: on the caller's thread, in the control pool under a key, or
 * as the call itself arranges.
 *
 * <p>Thread-safe once it is filled.
 */
public final class CallTable {
    private final ControlPool control;
    private final Map<ServiceName, Map<String, Method>> methods = new EnumMap<>(ServiceName.class);

    public CallTable(ControlPool control) {
        this.control = control;
        for (ServiceName service : ServiceName.values()) {
            methods.put(service, new HashMap<>());
        }
    }

    /** A call of the contract. */
    @FunctionalInterface
    public interface Method {
        Invocation begin();
    }

    /**
     * One run of a call.
     *
     * @param request empty, to be filled before it runs; null if the call has none
     * @param run throws, or completes with, a TalosException if it fails; never blocks
     */
    public record Invocation(@Nullable TBase<?, ?> request, Function<CallContext, CompletionStage<CallResult>> run) {}

    /** A call that may block, or only looks at memory. */
    @FunctionalInterface
    public interface Body<Q> {
        @Nullable
        TBase<?, ?> run(CallContext context, Q request) throws MetadataException;
    }

    /** A call that arranges for itself. */
    @FunctionalInterface
    public interface AsyncBody<Q> {
        CompletionStage<CallResult> run(CallContext context, Q request);
    }

    @Nullable
    public Method find(ServiceName service, String name) {
        Map<String, Method> of = methods.get(service);
        return of == null ? null : of.get(name);
    }

    private void add(ServiceName service, String name, Method method) {
        methods.computeIfAbsent(service, each -> new HashMap<>()).put(name, method);
    }

    private <Q extends TBase<?, ?>> void typed(
            ServiceName service, String name, Supplier<Q> requests, AsyncBody<Q> body) {
        add(service, name, () -> {
            Q request = requests.get();
            return new Invocation(request, context -> body.run(context, request));
        });
    }

    /** Looks at memory only. */
    public <Q extends TBase<?, ?>> void immediate(
            ServiceName service, String name, Supplier<Q> requests, Body<Q> body) {
        typed(service, name, requests, (context, request) -> {
            try {
                return CompletableFuture.completedFuture(CallResult.of(body.run(context, request)));
            } catch (MetadataException e) {
                throw Failures.of(e);
            }
        });
    }

    /** May block: runs in the control pool, one after another for each key. */
    public <Q extends TBase<?, ?>> void control(
            ServiceName service, String name, Supplier<Q> requests, Function<Q, String> key, Body<Q> body) {
        typed(
                service,
                name,
                requests,
                (context, request) -> control.run(
                        key.apply(request), context.deadlineNanos(), () -> CallResult.of(body.run(context, request))));
    }

    /** Arranges for itself. */
    public <Q extends TBase<?, ?>> void async(
            ServiceName service, String name, Supplier<Q> requests, AsyncBody<Q> body) {
        typed(service, name, requests, body);
    }

    /** Without a request; looks at memory only. */
    public void simple(ServiceName service, String name, Function<CallContext, @Nullable TBase<?, ?>> body) {
        add(
                service,
                name,
                () -> new Invocation(
                        null, context -> CompletableFuture.completedFuture(CallResult.of(body.apply(context)))));
    }

    /** Without a request; may block. */
    public void simpleControl(ServiceName service, String name, Body<CallContext> body) {
        add(
                service,
                name,
                () -> new Invocation(
                        null,
                        context -> control.run(
                                name, context.deadlineNanos(), () -> CallResult.of(body.run(context, context)))));
    }

    /** Known to the contract, and not here yet: nothing happens, and the answer says so. */
    public void notBuilt(ServiceName service, String... names) {
        for (String name : names) {
            add(
                    service,
                    name,
                    () -> new Invocation(null, context -> {
                        throw TalosException.refused(ErrorCode.OPERATION_FAILED, name + " is not built yet");
                    }));
        }
    }
}
