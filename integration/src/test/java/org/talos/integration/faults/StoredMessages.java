// SPDX-License-Identifier: Apache-2.0
package org.talos.integration.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.admin.TalosAdmin;
import org.talos.client.admin.TopicDescription;
import org.talos.client.consumer.FetchedMessage;
import org.talos.client.consumer.SimpleConsumer;
import org.talos.server.testing.LogGaps;

/**
 * Reads a whole partition.
 *
 * <p>Immutable.
 */
public final class StoredMessages {
    private StoredMessages() {}

    /** Returns the texts of all messages, in order, and checks that no offset is missing but in gaps that may be. */
    public static List<String> of(TalosClient client, TopicDescription topic, int partition)
            throws TalosClientException {
        SimpleConsumer consumer = new SimpleConsumer(client, topic, partition);
        long end = new TalosAdmin(client).offsets(topic).get(partition).endExclusive();
        List<String> texts = new ArrayList<>();
        long next = 0;
        while (next < end) {
            for (FetchedMessage message : consumer.fetch(next, 1_000)) {
                assertThat(LogGaps.mayFollow(next, message.offset()))
                        .as("offset %s where %s is due", message.offset(), next)
                        .isTrue();
                texts.add(message.text());
                next = message.offset() + 1;
            }
        }
        return texts;
    }
}
