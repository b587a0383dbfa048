// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.group;

import java.util.List;

/**
 * A member of a consumer group. Immutable.
 *
 * @param id its name in further calls
 * @param leaseMillis it expires after this time without a call
 * @param partitions that it reads
 */
public record GroupMember(String id, long leaseMillis, List<Integer> partitions) {
    public GroupMember {
        partitions = List.copyOf(partitions);
    }
}
