// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.command;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.talos.cli.CommandException;
import org.talos.cli.Connection;
import org.talos.cli.ExitCodes;
import org.talos.cli.Surroundings;
import org.talos.cli.argument.Position;
import org.talos.cli.argument.PositionConverter;
import org.talos.cli.message.HeapShare;
import org.talos.cli.message.MessageFilter;
import org.talos.cli.message.MessagePrinter;
import org.talos.cli.message.StreamFormat;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.Transport;
import org.talos.client.UnreadableBlockException;
import org.talos.client.admin.PartitionOffsets;
import org.talos.client.admin.TalosAdmin;
import org.talos.client.admin.TopicDescription;
import org.talos.client.consumer.FetchedMessage;
import org.talos.client.consumer.SimpleConsumer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * Prints the messages that a topic has, or follows it.
 *
 * <p>Confined: the main thread.
 */
@Command(name = "get", description = "Print messages of a topic.", mixinStandardHelpOptions = true)
final class GetCommand implements Callable<Integer> {
    private static final int LEAST_WINDOW = 64 << 10; // of a stream

    private final Surroundings surroundings;

    @Mixin
    private Connection connection = new Connection();

    @Parameters(index = "0", paramLabel = "TOPIC")
    private String topic = "";

    @Option(
            names = "--partition",
            paramLabel = "N",
            description = "Default: all, one after another; with --follow, as messages come")
    private Optional<Integer> partition = Optional.empty();

    @Option(
            names = {"--from", "--offset"},
            paramLabel = "earliest|latest|OFFSET|TIME",
            converter = PositionConverter.class,
            description = "Where to begin; latest: with the last messages that were put together; a time like "
                    + "2026-01-31T12:00:00Z, 2026-01-31, yesterday, 1h (ago) or @1769860800000: with the first that "
                    + "the server took in at or after it. Default: earliest")
    private Position from = Position.EARLIEST;

    @Option(
            names = "--to",
            paramLabel = "OFFSET|TIME",
            converter = PositionConverter.class,
            description =
                    "Stop before this offset, or before the first message that was taken in at or after this time")
    private Optional<Position> to = Optional.empty();

    @Option(names = "--count", paramLabel = "N", description = "Stop after so many messages")
    private long count = Long.MAX_VALUE;

    @Option(
            names = {"-f", "--follow"},
            description = "Go on with new messages until Ctrl-C, or until --count is reached")
    private boolean follow;

    @Option(
            names = "--format",
            paramLabel = "text|ndjson|raw",
            description = "One message a line, one JSON object a line, or the bytes without anything between them. "
                    + "Default: text; with -o json, ndjson")
    private Optional<StreamFormat> format = Optional.empty();

    @Mixin
    private MessageFilter filter = new MessageFilter();

    @Option(names = "--offsets", description = "Print partition and offset before each line of text")
    private boolean offsets;

    @Option(
            names = "--skip-unreadable",
            description = "Leave out blocks of messages that can't be read, and name them on standard error")
    private boolean skipUnreadable;

    @Option(
            names = "--stream",
            description = "Get over a stream, on which messages come unasked: worth it for many messages, above all "
                    + "when the server is far; where there is no stream, by calls")
    private boolean stream;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    GetCommand(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    @Override
    public Integer call() throws TalosClientException, CommandException, IOException {
        StreamFormat chosen = format.orElse(connection.output().json() ? StreamFormat.NDJSON : StreamFormat.TEXT);
        refuseContradictions(chosen);
        filter.check();
        MessagePrinter printer = new MessagePrinter(surroundings.out(), chosen, offsets, filter);
        TalosAdmin admin = new TalosAdmin(connection.client(surroundings));
        TopicDescription described = admin.describeTopic(topic);
        try {
            print(admin, described, printer);
        } catch (UnreadableBlockException e) {
            throw new CommandException(
                    e.getMessage() + ": --partition " + e.partition() + " --from " + (e.lastOffset() + 1)
                            + "; or leave out all such blocks: --skip-unreadable",
                    e);
        }
        return ExitCodes.DONE;
    }

    private void unreadable(UnreadableBlockException block) throws UnreadableBlockException {
        if (!skipUnreadable) {
            throw block;
        }
        spec.commandLine().getErr().println("talos: left out: " + block.getMessage());
    }

    private void refuseContradictions(StreamFormat chosen) throws CommandException {
        if (offsets && chosen != StreamFormat.TEXT) {
            throw CommandException.usage("--offsets is for text");
        }
        if (count < 1) {
            throw CommandException.usage("--count " + count + " (expected: 1 or more)");
        }
        if (to.isPresent()) {
            refuseEnd(to.get());
        }
        if (partition.isEmpty()
                && (from.isOffset() || to.filter(Position::isOffset).isPresent())) {
            throw CommandException.usage("an offset needs --partition (a time is 1h, yesterday, 2026-01-31, or @ and"
                    + " milliseconds since 1970)");
        }
    }

    private void refuseEnd(Position end) throws CommandException {
        if (follow) {
            throw CommandException.usage("--follow and --to exclude each other");
        }
        if (!end.isOffset() && !end.isTime()) {
            throw CommandException.usage("--to (expected: an offset or a time)");
        }
    }

    private void printAll(List<PartitionCursor> cursors, MessagePrinter printer)
            throws TalosClientException, IOException {
        long left = count;
        for (PartitionCursor cursor : cursors) {
            boolean more = left > 0;
            while (more) {
                List<FetchedMessage> messages = cursor.read(printer.isFiltering() ? Long.MAX_VALUE : left);
                for (FetchedMessage message : messages) {
                    left -= left > 0 && printer.print(cursor.partition(), message) ? 1 : 0;
                }
                printer.flush();
                // no messages: the rest has expired meanwhile
                more = left > 0 && !messages.isEmpty() && !cursor.atEnd();
            }
        }
    }

    private void print(TalosAdmin admin, TopicDescription described, MessagePrinter printer)
            throws TalosClientException, CommandException, IOException {
        Map<Integer, Long> begin = at(admin, described, Optional.of(from));
        Map<Integer, Long> end = at(admin, described, to);
        List<PartitionOffsets> chosen = Cursors.chosen(described, admin.offsets(described), partition);
        TalosClient client = connection.patient(surroundings, transport(chosen.size()));
        Cursors all = new Cursors(client, described, this::unreadable);
        List<PartitionCursor> cursors = new ArrayList<>();
        for (PartitionOffsets each : chosen) {
            long first = begin.getOrDefault(each.partition(), first(each));
            long until = Math.min(end(each), end.getOrDefault(each.partition(), limit()));
            if (follow || !isEmpty(each, first, until)) {
                cursors.add(all.of(each.partition(), first, until));
            }
        }
        if (follow) {
            TalosAdmin patient = new TalosAdmin(client);
            new Follower(cursors, printer, () -> patient.knownOffsets(described)).follow(count);
        } else {
            printAll(cursors, printer);
        }
    }

    /** Each partition has a stream of its own, and each stream its window of memory. */
    private Transport transport(int partitions) {
        if (!stream) {
            return Transport.CALLS;
        }
        int share = Math.max(LEAST_WINDOW, HeapShare.eighth() / partitions);
        return Transport.STREAM.withWindow(Math.min(Transport.STREAM.window(), share));
    }

    /** The offsets of a position that is a time, by partition; empty for other positions. */
    private static Map<Integer, Long> at(TalosAdmin admin, TopicDescription described, Optional<Position> position)
            throws TalosClientException {
        return position.isPresent() && position.get().isTime()
                ? admin.offsetsAt(described, position.get().time())
                : Map.of();
    }

    /** The latest of none is what comes next: a server that is asked for it again takes the last that has come then. */
    private long first(PartitionOffsets offsets) {
        return switch (from.target()) {
            case LATEST -> offsets.messages() == 0 ? offsets.endExclusive() : SimpleConsumer.LATEST;
            case OFFSET -> from.value();
            default -> SimpleConsumer.EARLIEST;
        };
    }

    private long end(PartitionOffsets offsets) {
        return follow ? Long.MAX_VALUE : offsets.endExclusive();
    }

    private long limit() {
        return to.filter(Position::isOffset).map(Position::value).orElse(Long.MAX_VALUE);
    }

    /**
     * Whether a range has no messages, so that a get would wait. An offset beyond the end is not empty: the server is
     * to refuse it.
     */
    private boolean isEmpty(PartitionOffsets offsets, long first, long until) {
        if (from.isOffset() && first > offsets.endExclusive()) {
            return false;
        }
        return offsets.messages() == 0 || Math.max(first, offsets.start()) >= until;
    }
}
