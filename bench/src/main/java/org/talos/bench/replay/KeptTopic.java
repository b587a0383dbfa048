// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.replay;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import org.talos.bench.load.MeasuredServer;
import org.talos.bench.load.MessageCheck;
import org.talos.bench.load.Polls;
import org.talos.bench.load.SignedPuts;
import org.talos.bench.scale.InTurn;
import org.talos.cli.CommandException;
import org.talos.client.TalosClientException;
import org.talos.client.admin.PartitionOffsets;
import org.talos.client.admin.TopicDescription;

/** A topic that was filled to be read from its beginning, with a server and without. Confined: the main thread. */
final class KeptTopic {
    private static final long SEED = 1;

    private final ReplaySite site;
    private final TopicDescription topic;
    private final int size;
    private final List<MessageCheck> checks;
    private final List<Long> messages; // by partition
    private final LongAdder read = new LongAdder();

    private KeptTopic(
            ReplaySite site, TopicDescription topic, int size, List<MessageCheck> checks, List<Long> messages) {
        this.site = site;
        this.topic = topic;
        this.size = size;
        this.checks = checks;
        this.messages = messages;
    }

    /**
     * Makes and fills the topic, and restarts its server: then all of it is in the segments' files, where readers
     * without a server find it too, and nothing in the server's memory.
     *
     * @throws IOException not all that was acknowledged is there
     */
    static KeptTopic fill(ReplaySite site, ReplaySettings settings)
            throws IOException, TalosClientException, CommandException {
        MeasuredServer server = site.server();
        TopicDescription topic = server.topic("kept", settings.partitions());
        List<SignedPuts> puts = server.puts(topic, settings.size(), SEED);
        long acknowledged = InTurn.fill(server.uri(), InTurn.spread(puts, puts.size()), settings.messages());
        server.restart();
        List<Long> messages = server.admin().offsets(topic).stream()
                .map(PartitionOffsets::messages)
                .toList();
        long stored = messages.stream().mapToLong(Long::longValue).sum();
        if (stored != acknowledged) {
            throw new IOException(acknowledged + " puts were acknowledged, and " + stored + " messages are there");
        }
        List<MessageCheck> checks =
                puts.stream().map(each -> MessageCheck.blocks(each.block())).toList();
        return new KeptTopic(site, topic, settings.size(), checks, messages);
    }

    /** Consumers at the first message of each partition. */
    List<Replay> replays() throws CommandException {
        MeasuredServer server = site.server();
        List<Polls> polls =
                Polls.signed(topic, server.authority(), server.credential(), checks, ReplaySettings.READ_BYTES);
        List<Replay> replays = new ArrayList<>();
        for (int partition = 0; partition < polls.size(); partition++) {
            replays.add(new Replay(polls.get(partition), messages.get(partition), read));
        }
        return replays;
    }

    /** Bytes of messages that all consumers have got so far. */
    long replayedBytes() {
        return read.sum() * size;
    }

    /** Readers without a server, at the first byte of each partition. */
    BareReads bareReads() throws IOException {
        List<List<BareFile>> files = site.files(topic);
        List<PartitionFiles> readers = new ArrayList<>();
        for (int partition = 0; partition < files.size(); partition++) {
            readers.add(new PartitionFiles(files.get(partition), messages.get(partition) * size));
        }
        return new BareReads(readers);
    }
}
