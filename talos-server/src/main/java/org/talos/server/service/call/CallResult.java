// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.call;

import org.apache.thrift.TBase;
import org.jspecify.annotations.Nullable;
import org.talos.server.service.call.ServiceAnswer.Delivery;
import org.talos.thrift.GalaxyTalosException;

/**
 * The result of a call. Immutable.
 *
 * @param value null for a call without result, or one that failed
 * @param error one call of the contract returns an error beside its value
 * @param delivery to be called with whether the answer was written
 */
public record CallResult(
        @Nullable TBase<?, ?> value, @Nullable GalaxyTalosException error, Delivery delivery) {
    /** Returns the result of a successful call whose delivery does not matter. */
    public static CallResult of(@Nullable TBase<?, ?> value) {
        return new CallResult(value, null, Delivery.IGNORED);
    }
}
