// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.payload;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import org.talos.bench.load.AnswerCheck;
import org.talos.bench.load.LoadResult;
import org.talos.bench.load.RawPuts;
import org.talos.bench.load.RequestSource;
import org.talos.bench.load.SignedPuts;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.TalosEndpoint;
import org.talos.client.admin.NewTopic;
import org.talos.client.admin.PartitionOffsets;
import org.talos.client.admin.TalosAdmin;
import org.talos.client.admin.TopicDescription;
import org.talos.common.auth.Credential;
import org.talos.launcher.local.SpawnedServer;

/**
 * The carrier of puts: each client puts to a partition of its own; each cell has its own topic, so that all find the
 * server in the same state.
 *
 * <p>Confined: the sweep's thread.
 */
final class Puts implements Carrier {

    private final Form form;
    private final InetSocketAddress server;
    private final TalosAdmin admin;
    private final Credential credential;
    private final Loop loop;
    private final long seed;
    private int topics;

    Puts(Form form, SpawnedServer server, TalosEndpoint endpoint, Loop loop, long seed) {
        this.form = form;
        this.server = Way.address(server.uri());
        this.admin = new TalosAdmin(new TalosClient(endpoint).once());
        this.credential = new Credential(endpoint.accessKey(), endpoint.secretKey());
        this.loop = loop;
        this.seed = seed;
    }

    @Override
    public String label() {
        return form.label;
    }

    @Override
    public PayloadFigures measure(Cell cell, Way way) throws IOException, TalosClientException {
        String name = form.label + "-" + ++topics;
        TopicDescription topic = admin.createTopic(NewTopic.of(name, cell.clients()));
        try {
            LoadResult load = loop.run(way.to(server), sources(topic, cell.size()), check());
            return PayloadFigures.ofRequests(form.label, cell, load, stored(topic));
        } finally {
            admin.deleteTopic(name);
        }
    }

    private AnswerCheck check() {
        return form == Form.THRIFT ? AnswerCheck.THRIFT_RESULT : AnswerCheck.ANY;
    }

    private List<? extends RequestSource> sources(TopicDescription topic, int size) {
        String host = server.getHostString() + ":" + server.getPort();
        return switch (form) {
            case THRIFT -> SignedPuts.toAll(topic, host, credential, size, seed);
            case RAW -> RawPuts.toAll(topic, host, credential, size, seed);
        };
    }

    /** The number of stored messages, by offsets, since retention may have deleted messages. */
    private long stored(TopicDescription topic) throws TalosClientException {
        return admin.offsets(topic).stream()
                .mapToLong(PartitionOffsets::end)
                .map(last -> last + 1)
                .sum();
    }

    /** How a request carries its message. */
    enum Form {
        /** In it: a block within a signed Thrift call. */
        THRIFT("thrift"),
        /** Beside it: the body of a REST put is the message. */
        RAW("raw");

        /** As it is written in tables. */
        final String label;

        Form(String label) {
            this.label = label;
        }
    }
}
