// SPDX-License-Identifier: Apache-2.0
package org.talos.client.transport;

import java.util.Optional;
import java.util.function.LongFunction;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.apache.thrift.TBase;
import org.jspecify.annotations.Nullable;

/**
 * A call of a service method with all that is needed to make it, and to make it again.
 *
 * <p>Immutable.
 *
 * @param <R> its result
 * @param request makes the request from the deadline of one try in ms since 1970; null if the call has none
 * @param result makes an empty result to be filled; null if the call has none
 * @param effect of the call, which decides whether it may be repeated when it may have happened
 * @param partition whose owner is called directly if it is known; empty if any server answers as well
 * @param transferred whether a result says that the server transferred the request to the owner
 */
public record RemoteCall<R extends TBase<?, ?>>(
        Service service,
        String method,
        LongFunction<@Nullable TBase<?, ?>> request,
        Supplier<@Nullable R> result,
        Effect effect,
        Optional<PartitionRef> partition,
        Predicate<R> transferred) {

    /** The change that a call makes. */
    public enum Effect {
        /** None: even a failed call certainly had no effect. */
        NONE,
        /** The same each time: the call may be repeated. */
        REPEATABLE,
        /** A new one each time. */
        ONCE
    }

    /** Returns whether it may be made again when it may have happened. */
    public boolean isRepeatable() {
        return effect != Effect.ONCE;
    }

    /** Returns whether it changes nothing. */
    public boolean isRead() {
        return effect == Effect.NONE;
    }

    /** Returns a call with a result that any server answers. */
    public static <R extends TBase<?, ?>> RemoteCall<R> of(
            Service service, String method, @Nullable TBase<?, ?> request, Supplier<R> result, Effect effect) {
        return new RemoteCall<>(
                service, method, deadline -> request, result, effect, Optional.empty(), answer -> false);
    }

    /** Returns a call without a result that any server answers. */
    public static RemoteCall<?> without(Service service, String method, TBase<?, ?> request, Effect effect) {
        return new RemoteCall<TBase<?, ?>>(
                service, method, deadline -> request, () -> null, effect, Optional.empty(), answer -> false);
    }
}
