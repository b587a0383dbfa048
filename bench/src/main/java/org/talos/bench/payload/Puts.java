// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.payload;

import java.io.IOException;
import java.util.List;
import org.talos.bench.load.AnswerCheck;
import org.talos.bench.load.LoadResult;
import org.talos.bench.load.RawPuts;
import org.talos.bench.load.RequestSource;
import org.talos.bench.load.SignedPuts;
import org.talos.client.TalosClientException;
import org.talos.client.admin.TopicDescription;

/** The carrier of puts: each client puts to a partition of its own, one at a time. Confined: the sweep's thread. */
final class Puts implements Carrier {
    private final Form form;
    private final CellTopics topics;
    private final Loop loop;
    private final long seed;

    Puts(Form form, CellTopics topics, Loop loop, long seed) {
        this.form = form;
        this.topics = topics;
        this.loop = loop;
        this.seed = seed;
    }

    @Override
    public String label() {
        return form.label;
    }

    @Override
    public boolean carries(Cell cell) {
        return cell.size() <= PayloadSettings.LARGEST_MESSAGE;
    }

    @Override
    public PayloadFigures measure(Cell cell, Way way) throws IOException, TalosClientException {
        return topics.of(form.label, cell, topic -> {
            LoadResult load = loop.run(way.to(topics.server()), sources(topic, cell.size()), check());
            return PayloadFigures.ofRequests(form.label, cell, load, topics.stored(topic));
        });
    }

    private AnswerCheck check() {
        return form == Form.THRIFT ? AnswerCheck.THRIFT_RESULT : AnswerCheck.ANY;
    }

    private List<? extends RequestSource> sources(TopicDescription topic, int size) {
        return switch (form) {
            case THRIFT -> SignedPuts.toAll(topic, topics.host(), topics.credential(), size, seed);
            case RAW -> RawPuts.toAll(topic, topics.host(), topics.credential(), size, seed);
        };
    }

    /** The forms in which a request carries its message. */
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
