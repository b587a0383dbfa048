// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.command;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.concurrent.Callable;
import org.talos.cli.CommandContext;
import org.talos.cli.CommandException;
import org.talos.cli.Connection;
import org.talos.cli.ExitCodes;
import org.talos.cli.argument.Position;
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
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * Prints the last messages of a topic, of all partitions by the time at which the server took them in, and follows it.
 *
 * <p>Confined: the main thread.
 */
@Command(
        name = "tail",
        description = "Print the last messages of a topic, and new ones, until Ctrl-C.",
        mixinStandardHelpOptions = true)
final class TailCommand implements Callable<Integer> {
    private static final int MOST_LAST = 10_000;

    private final CommandContext context;

    @Mixin
    private Connection connection = new Connection();

    @Parameters(index = "0", paramLabel = "TOPIC")
    private String topic = "";

    @Option(
            names = {"-n", "--last"},
            paramLabel = "N",
            description = "Begin with the last N messages, of which --grep may leave some out: 0 to 10000. Default: 10")
    private Optional<Integer> last = Optional.empty();

    @Option(
            names = "--from",
            paramLabel = "TIME",
            converter = PositionConverter.class,
            description = "Begin at a time instead, like 10m (ago), yesterday or 2026-01-31T12:00:00Z")
    private Optional<Position> from = Optional.empty();

    @Mixin
    private MessageFilter filter = new MessageFilter();

    @Option(names = "--partition", paramLabel = "N", description = "Default: all")
    private Optional<Integer> partition = Optional.empty();

    @Option(names = "--count", paramLabel = "N", description = "Stop after this number of messages")
    private long count = Long.MAX_VALUE;

    @Option(
            names = "--no-follow",
            negatable = false,
            description = "End with the newest message of the moment at which the command began")
    private boolean once;

    @Mixin
    private MessageForm form = new MessageForm();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    /** A message, and where it is from. Immutable. */
    private record Kept(int partition, FetchedMessage message) {
        static final Comparator<Kept> BY_TIME = Comparator.comparing((Kept kept) -> kept.message.appended())
                .thenComparingInt(Kept::partition)
                .thenComparingLong(kept -> kept.message.offset());
    }

    TailCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public Integer call() throws TalosClientException, CommandException, IOException {
        MessagePrinter printer = form.printer(context.out(), connection.output().json(), filter);
        refuseContradictions();
        filter.check();
        TalosClient client = connection.patient(context, Transport.CALLS);
        TalosAdmin admin = new TalosAdmin(connection.client(context)); // the first request reports what is wrong
        TopicDescription described = admin.describeTopic(topic);
        List<PartitionOffsets> ends = Cursors.chosen(described, admin.offsets(described), partition);
        Cursors cursors = new Cursors(client, described, this::unreadable);
        Map<Integer, Long> begin =
                from.isPresent() ? admin.offsetsAt(described, from.get().time()) : Map.of();
        long left = count
                - (from.isPresent() ? printFrom(begin, cursors, ends, printer) : printLast(cursors, ends, printer));
        if (!once && left > 0) {
            List<PartitionCursor> following = new ArrayList<>();
            for (PartitionOffsets each : ends) {
                following.add(cursors.of(each.partition(), each.endExclusive(), Long.MAX_VALUE));
            }
            TalosAdmin patient = new TalosAdmin(client);
            new Follower(following, printer, () -> patient.knownOffsets(described)).follow(left);
        }
        return ExitCodes.DONE;
    }

    /** Skips a block that no one can read, to show the messages behind it. */
    private void unreadable(UnreadableBlockException block) {
        spec.commandLine().getErr().println("talos: left out: " + block.getMessage());
    }

    private void refuseContradictions() throws CommandException {
        if (count < 1) {
            throw CommandException.usage("--count " + count + " (expected: 1 or more)");
        }
        if (last.isPresent() && from.isPresent()) {
            throw CommandException.usage("--last and --from exclude each other");
        }
        if (last.orElse(0) < 0 || last.orElse(0) > MOST_LAST) {
            throw CommandException.usage("--last " + last.get() + " (expected: 0 to " + MOST_LAST + ")");
        }
        if (from.isPresent() && !from.get().isTime()) {
            throw CommandException.usage("--from (expected: a time; get begins at other places, and follows too)");
        }
    }

    /** Prints all messages from a time on, one partition after another; returns their number. */
    private long printFrom(
            Map<Integer, Long> begin, Cursors cursors, List<PartitionOffsets> ends, MessagePrinter printer)
            throws TalosClientException, IOException {
        long printed = 0;
        for (PartitionOffsets each : ends) {
            long first = Math.max(each.start(), begin.getOrDefault(each.partition(), each.start()));
            PartitionCursor cursor = cursors.of(each.partition(), first, each.endExclusive());
            while (first < each.endExclusive() && !cursor.atEnd() && printed < count) {
                List<FetchedMessage> messages = cursor.read(Long.MAX_VALUE);
                for (FetchedMessage message : messages) {
                    printed += printed < count && printer.print(message) ? 1 : 0;
                }
                printer.flush();
                if (messages.isEmpty()) {
                    break; // the rest has expired since
                }
            }
        }
        return printed;
    }

    /** Prints the last messages in the order of their times; returns their number. */
    private long printLast(Cursors cursors, List<PartitionOffsets> ends, MessagePrinter printer)
            throws TalosClientException, IOException {
        LastMessages newest = new LastMessages(last.orElse(10));
        for (PartitionOffsets each : ends) {
            newest.read(cursors, each);
        }
        long printed = 0;
        for (Kept each : newest.inOrder()) {
            printed += printed < count && printer.print(each.message()) ? 1 : 0;
        }
        printer.flush();
        return printed;
    }

    /**
     * The newest messages of all partitions: at most a given number, and as many as this program's memory allows.
     * Confined.
     */
    private static final class LastMessages {
        private final int most;
        private final PriorityQueue<Kept> kept = new PriorityQueue<>(Kept.BY_TIME);
        private long bytes;

        LastMessages(int most) {
            this.most = most;
        }

        /** Reads the messages of a partition that could be among them. */
        void read(Cursors cursors, PartitionOffsets ends) throws TalosClientException {
            long first = Math.max(ends.start(), ends.endExclusive() - most);
            PartitionCursor cursor = cursors.of(ends.partition(), first, ends.endExclusive());
            while (first < ends.endExclusive() && !cursor.atEnd()) {
                List<FetchedMessage> messages = cursor.read(most);
                messages.forEach(message -> keep(new Kept(ends.partition(), message)));
                if (messages.isEmpty()) {
                    return; // the rest has expired since
                }
            }
        }

        private void keep(Kept message) {
            kept.add(message);
            bytes += message.message().body().length;
            while (kept.size() > most || (bytes > HeapShare.eighth() && kept.size() > 1)) {
                bytes -= kept.remove().message().body().length;
            }
        }

        List<Kept> inOrder() {
            return kept.stream().sorted(Kept.BY_TIME).toList();
        }
    }
}
