// SPDX-License-Identifier: Apache-2.0
package org.talos.client.producer;

import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.client.TalosClientException;

/** Calls the program back when its message has ended. Immutable. */
record CalledBack(Outcomes outcomes, BiConsumer<@Nullable PutResult, @Nullable TalosClientException> callback)
        implements Waiting.Ending {
    private static final Logger LOG = LoggerFactory.getLogger(CalledBack.class);

    @Override
    public void stored(int partition, long offset) {
        call(outcomes.stored(partition, offset), null);
    }

    @Override
    public void failed(TalosClientException failure) {
        outcomes.failed(1, failure);
        call(null, failure);
    }

    private void call(@Nullable PutResult stored, @Nullable TalosClientException failure) {
        try {
            callback.accept(stored, failure);
        } catch (RuntimeException | Error e) { // no program has a future that would hold it
            LOG.error("a callback failed topic={}", outcomes.topic(), e);
        }
    }
}
