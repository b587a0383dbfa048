// SPDX-License-Identifier: Apache-2.0
package org.talos.client.transport;

import java.util.Optional;
import java.util.function.LongFunction;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.apache.thrift.TBase;
import org.jspecify.annotations.Nullable;

/**
 * A call, as it can be made again.
 *
 * <p>Immutable.
 *
 * @param <R> its result
 * @param request makes what is asked, from the deadline of one try in ms since 1970; null if the call has none
 * @param result makes an empty result to be filled; null if the call has none
 * @param repeatable whether it may be made again when it may have happened: it changes nothing, or the same
 * @param place the partition whose server takes it best; empty if any does
 * @param transferred whether an answer says that another server had to be asked
 */
public record Operation<R extends TBase<?, ?>>(
        Service service,
        String method,
        LongFunction<@Nullable TBase<?, ?>> request,
        Supplier<@Nullable R> result,
        boolean repeatable,
        Optional<Place> place,
        Predicate<R> transferred) {

    /** One that any server takes, with a result. */
    public static <R extends TBase<?, ?>> Operation<R> of(
            Service service, String method, @Nullable TBase<?, ?> request, Supplier<R> result, boolean repeatable) {
        return new Operation<>(
                service, method, deadline -> request, result, repeatable, Optional.empty(), answer -> false);
    }

    /** One that any server takes, without a result, that changes something. */
    public static Operation<?> without(Service service, String method, TBase<?, ?> request) {
        return new Operation<TBase<?, ?>>(
                service, method, deadline -> request, () -> null, false, Optional.empty(), answer -> false);
    }
}
