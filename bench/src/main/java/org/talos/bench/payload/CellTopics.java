// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.payload;

import java.io.IOException;
import java.net.InetSocketAddress;
import org.talos.bench.load.MeasuredServer;
import org.talos.cli.CommandException;
import org.talos.client.TalosClientException;
import org.talos.client.admin.NewTopic;
import org.talos.client.admin.PartitionOffsets;
import org.talos.client.admin.TalosAdmin;
import org.talos.client.admin.TopicDescription;
import org.talos.common.auth.Credential;

/**
 * The topics of the measured server: each cell has its own, with a partition for each client, so that all find the
 * server in the same state.
 *
 * <p>Confined: the sweep's thread.
 */
final class CellTopics {
    private final MeasuredServer server;
    private final TalosAdmin admin;
    private final Credential credential;
    private int made;

    CellTopics(MeasuredServer server) throws CommandException {
        this.server = server;
        admin = server.admin();
        credential = server.credential();
    }

    /** Measures one cell with its topic. */
    interface Measuring {
        PayloadFigures measure(TopicDescription topic) throws IOException, TalosClientException;
    }

    /** The server, without a way in between. */
    InetSocketAddress server() {
        return server.address();
    }

    /** As requests name the server. */
    String host() {
        return server.authority();
    }

    Credential credential() {
        return credential;
    }

    /** Makes the topic of a cell, and deletes it once the cell is measured. */
    PayloadFigures of(String carrier, Cell cell, Measuring measuring) throws IOException, TalosClientException {
        String name = carrier + "-" + ++made;
        TopicDescription topic = admin.createTopic(NewTopic.of(name, cell.clients()));
        try {
            return measuring.measure(topic);
        } finally {
            admin.deleteTopic(name);
        }
    }

    /** The number of stored messages, by offsets, since retention may have deleted messages. */
    long stored(TopicDescription topic) throws TalosClientException {
        return admin.offsets(topic).stream()
                .mapToLong(PartitionOffsets::endExclusive)
                .sum();
    }
}
