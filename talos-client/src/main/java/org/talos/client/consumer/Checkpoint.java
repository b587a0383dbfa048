// SPDX-License-Identifier: Apache-2.0
package org.talos.client.consumer;

import org.talos.client.TalosClientException;

/**
 * Commits the group's offset in one partition. Each method waits for the server. If that offset or a later one is
 * already committed, the call changes nothing, and this is not an error: a commit never goes back.
 *
 * <p>Confined: the processor that got it, during that call.
 */
public interface Checkpoint {
    /**
     * Commits all messages of this call, and all before them: the partition's next reader starts after them. In
     * {@link MessageProcessor#stop}, commits all processed messages.
     *
     * @throws TalosClientException FatalException with code LOCK_LOST: another member has the partition now, and this
     *     processor is stopped
     */
    void commit() throws TalosClientException;

    /**
     * Commits all messages before an offset: the partition's next reader starts with that offset.
     *
     * @param offset one past the last processed message
     * @throws TalosClientException as {@link #commit}
     * @throws IllegalArgumentException the offset is past the messages of this call
     */
    void commitBefore(long offset) throws TalosClientException;
}
