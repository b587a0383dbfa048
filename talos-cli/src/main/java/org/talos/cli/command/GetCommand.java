// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.command;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.talos.cli.CommandContext;
import org.talos.cli.CommandException;
import org.talos.cli.Connection;
import org.talos.cli.ExitCodes;
import org.talos.cli.Progress;
import org.talos.cli.argument.Position;
import org.talos.cli.argument.Position.Place;
import org.talos.cli.argument.PositionConverter;
import org.talos.cli.message.HeapShare;
import org.talos.cli.message.MessageFilter;
import org.talos.cli.message.MessageForm;
import org.talos.cli.message.MessagePrinter;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.Transport;
import org.talos.client.UnreadableBlockException;
import org.talos.client.admin.PartitionOffsets;
import org.talos.client.admin.TalosAdmin;
import org.talos.client.admin.TopicDescription;
import org.talos.client.consumer.FetchedMessage;
import org.talos.client.consumer.SimpleConsumer;
import org.talos.client.consumer.StartPosition;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * Prints the messages that a topic has, or follows it, alone or as a member of a consumer group.
 *
 * <p>Confined: the main thread.
 */
@Command(name = "get", description = "Print messages of a topic.", mixinStandardHelpOptions = true)
final class GetCommand implements Callable<Integer> {
    private static final int LEAST_WINDOW = 64 << 10; // of a stream
    private static final int MOST_LAST = 10_000;

    private final CommandContext context;

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
            names = "--from",
            paramLabel = "earliest|latest|last|OFFSET|TIME",
            converter = PositionConverter.class,
            description = "Where to begin; latest: with what comes from now on; last: with the last messages that were "
                    + "put together; a time like 2026-01-31T12:00:00Z, 2026-01-31, yesterday, 1h (ago) or "
                    + "@1769860800000: with the first that the server took in at or after it. Default: earliest")
    private Optional<Position> from = Optional.empty();

    @Option(
            names = "--offset",
            hidden = true,
            converter = PositionConverter.class,
            description = "As --from, which it was called before")
    private Optional<Position> oldFrom = Optional.empty();

    @Option(
            names = "--to",
            paramLabel = "OFFSET|TIME",
            converter = PositionConverter.class,
            description =
                    "Stop before this offset, or before the first message that was taken in at or after this time")
    private Optional<Position> to = Optional.empty();

    @Option(
            names = "--last",
            paramLabel = "N",
            description = "Print only the newest N messages of all partitions, by when the server took them in, in the "
                    + "order of their offsets; with --grep, --key and --grep-key the newest N that match: 1 to 10000")
    private Optional<Integer> last = Optional.empty();

    @Option(names = "--count", paramLabel = "N", description = "Stop after this number of messages")
    private long count = Long.MAX_VALUE;

    @Option(
            names = {"-f", "--follow"},
            description = "Continue with new messages until Ctrl-C, or until --count is reached")
    private boolean follow;

    @Option(
            names = "--group",
            paramLabel = "GROUP",
            description = "Read as a member of this consumer group: its share of the partitions, from where the group "
                    + "has committed; what was printed is committed. --from says where to begin in partitions in "
                    + "which nothing is. Ends when the group has read all messages, or nothing has come for 10 s; "
                    + "with --follow it continues")
    private Optional<String> group = Optional.empty();

    @Mixin
    private MessageForm form = new MessageForm();

    @Mixin
    private MessageFilter filter = new MessageFilter();

    @Option(
            names = "--skip-unreadable",
            description = "Leave out blocks of messages that cannot be read, and name them on standard error")
    private boolean skipUnreadable;

    @Option(
            names = "--stream",
            description = "Get over a stream, on which messages come unasked: worth it for many messages, above all "
                    + "when the server is far; where there is no stream, by calls")
    private boolean stream;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    GetCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public Integer call() throws TalosClientException, CommandException, IOException {
        MessagePrinter printer = form.printer(context.out(), connection.output().json(), filter);
        refuseContradictions();
        filter.check();
        TalosAdmin admin = new TalosAdmin(connection.client(context));
        TopicDescription described = admin.describeTopic(topic);
        try {
            if (group.isPresent()) {
                readAsMember(described, group.get(), printer);
            } else {
                print(admin, described, printer);
            }
        } catch (UnreadableBlockException e) {
            throw new CommandException(
                    e.getMessage() + ": " + behind(e) + "; or leave out all such blocks: --skip-unreadable", e);
        }
        return ExitCodes.DONE;
    }

    /** Returns how to continue behind a block that cannot be read. */
    private String behind(UnreadableBlockException block) {
        String partitionOf = "--partition " + block.partition();
        long next = block.lastOffset() + 1;
        return group.isPresent()
                ? "'talos group reset " + topic + " " + group.get() + " " + partitionOf + " --to " + next
                        + " --execute'"
                : partitionOf + " --from " + next;
    }

    private void readAsMember(TopicDescription described, String of, MessagePrinter printer)
            throws TalosClientException, CommandException, IOException {
        Position begin = begin();
        StartPosition start = switch (begin.place()) {
            case LATEST -> StartPosition.LATEST;
            case TIME -> StartPosition.at(begin.time());
            default -> StartPosition.EARLIEST;
        };
        TalosClient client = connection.patient(context, transport(described.partitions()));
        new GroupReader(client, topic, of, printer, spec.commandLine().getErr(), this::unreadable)
                .read(start, count, follow);
    }

    private Position begin() {
        return from.or(() -> oldFrom).orElse(Position.EARLIEST);
    }

    private void unreadable(UnreadableBlockException block) throws UnreadableBlockException {
        if (!skipUnreadable) {
            throw block;
        }
        spec.commandLine().getErr().println("talos: left out: " + block.getMessage());
    }

    private void refuseContradictions() throws CommandException {
        if (count < 1) {
            throw CommandException.usage("--count " + count + " (expected: 1 or more)");
        }
        if (group.isPresent()) {
            refuseForMembers();
        }
        if (last.isPresent()) {
            refuseForNewest(last.get());
        }
        if (to.isPresent()) {
            refuseEnd(to.get());
        }
        if (partition.isEmpty()
                && (begin().isOffset() || to.filter(Position::isOffset).isPresent())) {
            throw CommandException.usage("an offset needs --partition (a time is 1h, yesterday, 2026-01-31, or @ and"
                    + " milliseconds since 1970)");
        }
    }

    /** Checks the options of a member: it reads the partitions that it is assigned, from the group's offsets. */
    private void refuseForMembers() throws CommandException {
        if (partition.isPresent() || to.isPresent()) {
            throw CommandException.usage("--group excludes --partition and --to: its members share the partitions");
        }
        if (begin().isOffset() || begin().place() == Place.LAST) {
            throw CommandException.usage("--from with --group (expected: earliest, latest or a time, for partitions in"
                    + " which the group has committed nothing; 'talos group reset' moves a group)");
        }
    }

    /** The newest messages are a part of the present ones. */
    private void refuseForNewest(int number) throws CommandException {
        if (number < 1 || number > MOST_LAST) {
            throw CommandException.usage("--last " + number + " (expected: 1 to " + MOST_LAST + ")");
        }
        if (count < Long.MAX_VALUE || follow || group.isPresent() || stream) {
            throw CommandException.usage(
                    "--last excludes --count, --follow, --group and --stream; 'talos tail --last' follows");
        }
        if (begin().place() == Place.LATEST || begin().place() == Place.LAST) {
            throw CommandException.usage("--from with --last (expected: earliest, an offset or a time, before which"
                    + " nothing is searched)");
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
                    left -= left > 0 && printer.print(message) ? 1 : 0;
                }
                printer.flush();
                // no messages: the rest has expired since
                more = left > 0 && !messages.isEmpty() && !cursor.atEnd();
            }
        }
    }

    private void print(TalosAdmin admin, TopicDescription described, MessagePrinter printer)
            throws TalosClientException, CommandException, IOException {
        Map<Integer, Long> begin = at(admin, described, Optional.of(begin()));
        Map<Integer, Long> end = at(admin, described, to);
        List<PartitionOffsets> chosen = Cursors.chosen(described, admin.offsets(described), partition);
        TalosClient client = connection.patient(context, transport(chosen.size()));
        Cursors all = new Cursors(client, described, this::unreadable);
        if (last.isPresent()) {
            printNewest(all, ranges(chosen, begin, end), last.get(), printer);
            return;
        }
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

    private List<NewestMessages.Range> ranges(
            List<PartitionOffsets> chosen, Map<Integer, Long> begin, Map<Integer, Long> end) {
        return chosen.stream()
                .map(each -> new NewestMessages.Range(
                        each.partition(),
                        Math.max(each.start(), begin.getOrDefault(each.partition(), first(each))),
                        Math.min(each.endExclusive(), end.getOrDefault(each.partition(), limit()))))
                .toList();
    }

    private void printNewest(Cursors all, List<NewestMessages.Range> ranges, int number, MessagePrinter printer)
            throws TalosClientException, IOException {
        PrintWriter err = spec.commandLine().getErr();
        List<FetchedMessage> found;
        try (Progress progress = new Progress(context, err, "search", Progress.Unit.MESSAGES, 0)) {
            NewestMessages newest = new NewestMessages(all, printer, number, progress);
            found = newest.find(ranges);
            if (newest.isCut()) {
                progress.end();
                err.println("talos: only the newest " + found.size() + " fit into the memory of this command");
            }
        }
        for (FetchedMessage each : found) {
            printer.print(each);
        }
        printer.flush();
    }

    /** Each partition has a stream of its own, and each stream its window of memory. */
    private Transport transport(int partitions) {
        if (!stream) {
            return Transport.CALLS;
        }
        int share = Math.max(LEAST_WINDOW, HeapShare.eighth() / partitions);
        return Transport.STREAM.withWindow(Math.min(Transport.STREAM.window(), share));
    }

    /** Returns the offsets of a position that is a time, by partition; empty for other positions. */
    private static Map<Integer, Long> at(TalosAdmin admin, TopicDescription described, Optional<Position> position)
            throws TalosClientException {
        return position.isPresent() && position.get().isTime()
                ? admin.offsetsAt(described, position.get().time())
                : Map.of();
    }

    /**
     * Returns the first offset. If no message can arrive, "latest" means "last": the last messages that were put
     * together.
     */
    private long first(PartitionOffsets offsets) {
        return switch (begin().place()) {
            case LATEST -> follow ? offsets.endExclusive() : last(offsets);
            case LAST -> last(offsets);
            case OFFSET -> begin().value();
            case EARLIEST, TIME -> SimpleConsumer.EARLIEST;
        };
    }

    /**
     * For an empty partition, "last" would be the next message, because the server chooses the last message when it
     * answers.
     */
    private static long last(PartitionOffsets offsets) {
        return offsets.messages() == 0 ? offsets.endExclusive() : SimpleConsumer.LATEST;
    }

    private long end(PartitionOffsets offsets) {
        return follow ? Long.MAX_VALUE : offsets.endExclusive();
    }

    private long limit() {
        return to.filter(Position::isOffset).map(Position::value).orElse(Long.MAX_VALUE);
    }

    /**
     * Returns whether a range has no messages, so that a get would wait. An offset beyond the end does not count as
     * empty: the server must refuse it.
     */
    private boolean isEmpty(PartitionOffsets offsets, long first, long until) {
        if (begin().isOffset() && first > offsets.endExclusive()) {
            return false;
        }
        return offsets.messages() == 0 || Math.max(first, offsets.start()) >= until;
    }
}
