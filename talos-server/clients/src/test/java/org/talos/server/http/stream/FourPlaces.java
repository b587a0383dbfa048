// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.stream;

import org.talos.common.error.TalosException;
import org.talos.thrift.ErrorCode;

/**
 * Four partitions, or more once it has grown, here or elsewhere; keys belong into the one that they name. Confined: one
 * test.
 */
final class FourPlaces implements Places {
    private boolean here = true;
    private int count = 4;
    private boolean deleted;

    /** Deletes the topic. */
    void delete() {
        deleted = true;
    }

    /** Adds a partition. */
    void grow() {
        count++;
    }

    void here(boolean served) {
        here = served;
    }

    @Override
    public int count() {
        return count;
    }

    @Override
    public void require(int partition) {
        if (deleted) {
            throw TalosException.refused(ErrorCode.TOPIC_NOT_EXIST, "no such topic");
        }
        if (partition < 0 || partition >= count) {
            throw TalosException.refused(ErrorCode.PARTITION_NOT_EXIST, "partition " + partition);
        }
    }

    @Override
    public int ofKey(String key) {
        return Integer.parseInt(key);
    }

    @Override
    public boolean isHere(int partition) {
        return here;
    }
}
