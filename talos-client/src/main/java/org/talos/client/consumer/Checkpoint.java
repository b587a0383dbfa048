// SPDX-License-Identifier: Apache-2.0
package org.talos.client.consumer;

import org.talos.client.TalosClientException;

/**
 * Commits the group's offset in one partition.
 *
 * <p>Confined: the processor that got it, during that call.
 */
public interface Checkpoint {
    /**
     * Commits a message and all before it: the partition's next reader starts after it. Waits for the server.
     *
     * @throws TalosClientException FatalException with code LOCK_LOST: another member has the partition now, and this
     *     processor is stopped
     */
    void commit(FetchedMessage last) throws TalosClientException;
}
