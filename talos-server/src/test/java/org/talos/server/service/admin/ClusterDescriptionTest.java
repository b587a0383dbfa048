// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.admin;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.talos.server.cluster.ClusterEvent;
import org.talos.server.cluster.ClusterStatus;

class ClusterDescriptionTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            moved: 5f-1/3 to one                        | moved: orders/3 to one
            not moved: 5f-1/3 to one: no such partition | not moved: orders/3 to one: no such partition
            not moved: 5f-2/3 to one, which is drained  | not moved: 5f-2/3 to one, which is drained
            12 partitions placed, 3 moved               | 12 partitions placed, 3 moved
            """)
    void eventsNameTopicsByNameAndDeletedOnesById(String stored, String shown) {
        ClusterStatus status = new ClusterStatus("one", List.of(), 0, List.of(new ClusterEvent(7, stored)));

        ClusterDescription description =
                ClusterDescription.of(status, List.of(), id -> id.equals("5f-1") ? "orders" : id);

        assertThat(description.events()).containsExactly(new ClusterDescription.Event(7, shown));
    }
}
