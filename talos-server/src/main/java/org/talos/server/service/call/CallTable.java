// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.call;

import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.thrift.TBase;
import org.jspecify.annotations.Nullable;
import org.talos.common.error.TalosException;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metrics.Operation;
import org.talos.server.partition.serving.Failures;
import org.talos.server.runtime.time.Ticker;
import org.talos.thrift.ErrorCode;

/**
 * The calls of each service by name, and their threads: the caller's thread, a pool under a key, or threads that the
 * call itself chooses.
 *
 * <p>Thread-safe once it is filled.
 */
public final class CallTable {
    private final ControlPool control;
    private final Ticker ticker;
    private final Map<ServiceName, Map<String, Method>> methods = new EnumMap<>(ServiceName.class);

    /**
     * Creates an empty table.
     *
     * @param control runs the calls that may block
     * @param ticker the clock of the calls' deadlines
     */
    public CallTable(ControlPool control, Ticker ticker) {
        this.control = control;
        this.ticker = ticker;
        for (ServiceName service : ServiceName.values()) {
            methods.put(service, new HashMap<>());
        }
    }

    /** A call of the contract. Thread-safe. */
    public interface Method {
        /** Returns an empty request, to be filled from the wire; null if the call has none. */
        @Nullable
        TBase<?, ?> newRequest();

        /**
         * Runs the call. Never blocks.
         *
         * @param request of this call's type, null if it has none; the call may keep it
         * @return completes with a TalosException if the call fails
         * @throws TalosException the call failed at once
         */
        CompletionStage<CallResult> run(CallContext context, @Nullable TBase<?, ?> request);

        /** Returns the name under which the metrics of requests count the call. */
        default Operation operation() {
            return Operation.OTHER;
        }
    }

    /** A call with a request. Thread-safe. */
    private record WithRequest<Q extends TBase<?, ?>>(Supplier<Q> requests, AsyncBody<Q> body, Operation operation)
            implements Method {
        @Override
        public TBase<?, ?> newRequest() {
            return requests.get();
        }

        @Override
        @SuppressWarnings("unchecked") // newRequest created the request
        public CompletionStage<CallResult> run(CallContext context, @Nullable TBase<?, ?> request) {
            return body.run(context, (Q) Objects.requireNonNull(request, "the call has a request"));
        }
    }

    /** A call without a request. Thread-safe. */
    private record WithoutRequest(Function<CallContext, CompletionStage<CallResult>> body) implements Method {
        @Override
        public @Nullable TBase<?, ?> newRequest() {
            return null;
        }

        @Override
        public CompletionStage<CallResult> run(CallContext context, @Nullable TBase<?, ?> request) {
            return body.apply(context);
        }
    }

    /** A call that may be refused. Thread-safe. */
    private record Guarded(Runnable check, Method call) implements Method {
        @Override
        public Operation operation() {
            return call.operation();
        }

        @Override
        public @Nullable TBase<?, ?> newRequest() {
            return call.newRequest();
        }

        @Override
        public CompletionStage<CallResult> run(CallContext context, @Nullable TBase<?, ?> request) {
            check.run();
            return call.run(context, request);
        }
    }

    /** A call that may block, or only reads memory. */
    @FunctionalInterface
    public interface Body<Q> {
        /** Runs the call; null if it has no result. */
        @Nullable
        TBase<?, ?> run(Caller caller, Q request) throws MetadataException;
    }

    /** A call without a result that may block. */
    @FunctionalInterface
    public interface Change<Q> {
        /** Runs the call. */
        void run(Caller caller, Q request) throws MetadataException;
    }

    /** A call without a request that may block. */
    @FunctionalInterface
    public interface ControlBody {
        /** Runs the call. */
        TBase<?, ?> run(Caller caller) throws MetadataException;
    }

    /** A call that chooses its threads itself and never blocks its caller. */
    @FunctionalInterface
    public interface AsyncBody<Q> {
        /** Begins the call; completes with a TalosException if it fails. */
        CompletionStage<CallResult> run(CallContext context, Q request);
    }

    /** A call that runs one of the subject's operations. */
    @FunctionalInterface
    public interface OperationBody<Q, R> {
        /** Begins the operation; completes with a TalosException if it fails. */
        CompletionStage<R> run(CallContext context, Q request);
    }

    /** Returns the call of that name, null if the service has none. */
    @Nullable
    public Method find(ServiceName service, String name) {
        Map<String, Method> of = methods.get(service);
        return of == null ? null : of.get(name);
    }

    private void add(ServiceName service, String name, Method method) {
        methods.computeIfAbsent(service, each -> new HashMap<>()).put(name, method);
    }

    /** Refuses existing calls for as long as the check throws. */
    public void guard(Runnable check, ServiceName service, String... names) {
        for (String name : names) {
            Method guarded = Objects.requireNonNull(find(service, name), name);
            add(service, name, new Guarded(check, guarded));
        }
    }

    /**
     * Adds a call that reads little memory, however many topics or users there are: it runs on the caller's thread,
     * which serves many connections.
     */
    public <Q extends TBase<?, ?>> void immediate(
            ServiceName service, String name, Supplier<Q> requests, Body<Q> body) {
        async(service, name, requests, (context, request) -> {
            try {
                return CompletableFuture.completedFuture(CallResult.of(body.run(Caller.of(context), request)));
            } catch (MetadataException e) {
                throw Failures.of(e);
            }
        });
    }

    /** Adds a call that may block: it runs in the control pool, a user's calls of one key one after another. */
    public <Q extends TBase<?, ?>> void control(
            ServiceName service, String name, Supplier<Q> requests, Function<Q, String> key, Body<Q> body) {
        async(service, name, requests, (context, request) -> {
            CallDeadline deadline = new CallDeadline(ticker, context.deadlineNanos());
            return control.run(
                    context, key.apply(request), caller -> CallResult.of(body.run(caller.by(deadline), request)));
        });
    }

    /** Adds a call without a result that may block: it runs in the control pool likewise. */
    public <Q extends TBase<?, ?>> void change(
            ServiceName service, String name, Supplier<Q> requests, Function<Q, String> key, Change<Q> change) {
        control(service, name, requests, key, (caller, request) -> {
            change.run(caller, request);
            return null;
        });
    }

    /** Adds a call that chooses its threads itself. */
    public <Q extends TBase<?, ?>> void async(
            ServiceName service, String name, Supplier<Q> requests, AsyncBody<Q> body) {
        counted(Operation.OTHER, service, name, requests, body);
    }

    /** Adds the same, and counts the call as this operation in the metrics of requests. */
    public <Q extends TBase<?, ?>> void counted(
            Operation operation, ServiceName service, String name, Supplier<Q> requests, AsyncBody<Q> body) {
        add(service, name, new WithRequest<>(requests, body, operation));
    }

    /** Adds a call that runs an operation and returns its result. */
    public <Q extends TBase<?, ?>, R extends TBase<?, ?>> void operation(
            ServiceName service, String name, Supplier<Q> requests, OperationBody<Q, R> operation) {
        async(
                service,
                name,
                requests,
                (context, request) -> operation.run(context, request).thenApply(CallResult::of));
    }

    /** Adds a call without a result that runs an operation. */
    public <Q extends TBase<?, ?>, R> void silent(
            ServiceName service, String name, Supplier<Q> requests, OperationBody<Q, R> operation) {
        async(
                service,
                name,
                requests,
                (context, request) -> operation.run(context, request).thenApply(done -> CallResult.of(null)));
    }

    /** Adds a call without a request that runs an operation and returns its result. */
    public <R extends TBase<?, ?>> void listing(
            ServiceName service, String name, Function<CallContext, CompletionStage<R>> operation) {
        add(
                service,
                name,
                new WithoutRequest(context -> operation.apply(context).thenApply(CallResult::of)));
    }

    /** Adds a call without a request to the immediate ones. */
    public void simple(ServiceName service, String name, Function<CallContext, @Nullable TBase<?, ?>> body) {
        add(
                service,
                name,
                new WithoutRequest(context -> CompletableFuture.completedFuture(CallResult.of(body.apply(context)))));
    }

    /** Adds a call without a request that may block: it runs in the control pool, with its name as the key. */
    public void simpleControl(ServiceName service, String name, ControlBody body) {
        add(
                service,
                name,
                new WithoutRequest(context -> control.run(context, name, caller -> CallResult.of(body.run(caller)))));
    }

    /** Adds calls of the contract that are not implemented: they fail without effect, and say so. */
    public void notBuilt(ServiceName service, String... names) {
        for (String name : names) {
            add(service, name, new WithoutRequest(context -> {
                throw TalosException.refused(ErrorCode.OPERATION_FAILED, name + " is not built yet");
            }));
        }
    }
}
