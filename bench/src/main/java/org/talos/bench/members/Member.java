// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.members;

import java.util.List;

/**
 * One member of a consumer group. Immutable.
 *
 * @param group number of the member's group
 * @param name worker id, as SDKs send it
 * @param partitions the member's share of the topic, ascending
 */
record Member(int group, String name, List<Integer> partitions) {
    Member {
        partitions = List.copyOf(partitions);
    }

    /** Returns the name of the member's group. */
    String groupName() {
        return Population.groupName(group);
    }
}
