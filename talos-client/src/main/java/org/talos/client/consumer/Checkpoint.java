// SPDX-License-Identifier: Apache-2.0
package org.talos.client.consumer;

import org.talos.client.TalosClientException;

/**
 * Commits the group's place in one partition.
 *
 * <p>Confined: the processor it was given to, during its call.
 */
public interface Checkpoint {
    /**
     * Commits a message and all before it: whoever reads the partition next begins behind it. Waits for the server.
     *
     * @throws TalosClientException FatalException with code LOCK_LOST: the partition is another member's now, and this
     *     one's processor is stopped
     */
    void commit(FetchedMessage last) throws TalosClientException;
}
