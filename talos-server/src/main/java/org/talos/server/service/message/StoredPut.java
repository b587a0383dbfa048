// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.message;

import org.talos.server.partition.serving.AppendResult;
import org.talos.server.service.call.ServiceAnswer.Delivery;

/**
 * A put that is stored, to the durability of its server. Immutable.
 *
 * @param firstOffset of its first message; the others follow without a gap
 * @param delivery to be called with whether the answer was written; if not, a repetition of the put is recognized
 */
public record StoredPut(long firstOffset, Delivery delivery) {
    static StoredPut of(AppendResult stored) {
        return new StoredPut(stored.firstOffset(), written -> {
            if (!written) {
                stored.unanswered().run();
            }
        });
    }
}
