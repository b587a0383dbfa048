// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.replay;

import static org.talos.bench.report.Text.format;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.HdrHistogram.Histogram;
import org.talos.bench.load.MeasuredServer;
import org.talos.bench.load.MessageCheck;
import org.talos.bench.load.Polls;
import org.talos.bench.load.PutGetLoad;
import org.talos.bench.load.RequestSource;
import org.talos.bench.load.SignedPuts;
import org.talos.bench.load.WarmUp;
import org.talos.bench.load.Window;
import org.talos.cli.CommandException;
import org.talos.client.TalosClientException;
import org.talos.client.admin.PartitionOffsets;
import org.talos.client.admin.TalosAdmin;
import org.talos.client.admin.TopicDescription;

/**
 * A topic whose messages are got as soon as they are put. It is there for one case, so that what is put does not fill
 * the disk.
 *
 * <p>Confined: the main thread; its sources to their loops.
 */
final class Tail {
    private static final Duration LONGEST_REST = Duration.ofSeconds(10);
    private static final String GET = "get";
    private static final int DIGITS = 3;

    private final MeasuredServer server;
    private final TalosAdmin admin;
    private final TopicDescription topic;
    private final List<TimedPartition> partitions = new ArrayList<>();
    private final Histogram untilGot = new Histogram(DIGITS);

    private Tail(MeasuredServer server, TalosAdmin admin, TopicDescription topic) {
        this.server = server;
        this.admin = admin;
        this.topic = topic;
    }

    /**
     * Makes the topic.
     *
     * @param measuring whether what arrives now is to be recorded
     */
    static Tail make(MeasuredServer server, String name, ReplaySettings settings, BooleanSupplier measuring)
            throws TalosClientException, CommandException {
        Tail tail = new Tail(server, server.admin(), server.topic(name, settings.partitions()));
        List<SignedPuts> puts = server.puts(tail.topic, settings.size(), name.hashCode());
        List<MessageCheck> checks =
                puts.stream().map(each -> MessageCheck.blocks(each.block())).toList();
        List<Polls> polls = Polls.signed(tail.topic, server.authority(), server.credential(), checks);
        for (int each = 0; each < puts.size(); each++) {
            tail.partitions.add(new TimedPartition(puts.get(each), polls.get(each), nanos -> {
                if (measuring.getAsBoolean()) {
                    tail.untilGot.recordValue(nanos);
                }
            }));
        }
        return tail;
    }

    /** A put of each partition, one in flight. */
    List<RequestSource> puts() {
        return partitions.stream().map(TimedPartition::puts).toList();
    }

    /** A get at the end of each partition. */
    List<RequestSource> gets() {
        return partitions.stream().map(TimedPartition::gets).toList();
    }

    /** From when a message was put to when its consumer had it, of those measured. */
    Histogram untilGot() {
        return untilGot;
    }

    /**
     * Gets what is left and deletes the topic.
     *
     * @param acknowledged puts
     * @return what is missing, or too much
     */
    Optional<String> end(long acknowledged) throws IOException, TalosClientException {
        long stored = admin.offsets(topic).stream()
                .mapToLong(PartitionOffsets::messages)
                .sum();
        WarmUp all = nanos -> received() >= stored || nanos >= LONGEST_REST.toNanos();
        var unused = new PutGetLoad(server.uri(), all, Duration.ZERO)
                .add(GET, gets(), 0)
                .run(Window.NOBODY);
        admin.deleteTopic(topic.name());
        return stored == acknowledged && received() == stored
                ? Optional.empty()
                : Optional.of(format(
                        "%d puts were acknowledged, %d messages are stored, %d were got",
                        acknowledged, stored, received()));
    }

    private long received() {
        return partitions.stream().mapToLong(TimedPartition::received).sum();
    }
}
