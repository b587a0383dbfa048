// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.call;

import org.talos.common.error.TalosException;
import org.talos.server.partition.serving.Failures;
import org.talos.server.runtime.DiskSpace;

/**
 * Checks that the disks of this machine have room for new rows. Calls that add something need it, as does a group's
 * first commit in a partition. Changes and later commits do not, because they make room or let readers continue.
 *
 * <p>Thread-safe.
 */
public record DiskRoom(DiskSpace disk) {
    /**
     * Refuses a call that adds something while a disk is full.
     *
     * @throws TalosException HBASE_OPERATION_FAILED, effect NONE
     */
    public void require() {
        DiskSpace.Shortage shortage = disk.shortage();
        if (shortage != null) {
            throw Failures.diskFull(shortage);
        }
    }
}
