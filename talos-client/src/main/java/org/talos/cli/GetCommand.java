// SPDX-License-Identifier: Apache-2.0
package org.talos.cli;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.talos.client.FetchedMessage;
import org.talos.client.PartitionOffsets;
import org.talos.client.SimpleConsumer;
import org.talos.client.TalosAdmin;
import org.talos.client.TalosClientException;
import org.talos.client.TalosEndpoint;
import org.talos.client.TopicDescription;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Prints messages, one a line, up to what was there at its start; or goes on with what comes.
 *
 * <p>Confined: the main thread.
 */
@Command(name = "get", description = "Print messages of a topic, one a line.", mixinStandardHelpOptions = true)
final class GetCommand implements Callable<Integer> {
    private static final int FETCH_MESSAGES = 1_000;

    private final Surroundings surroundings;

    @Mixin
    private Connection connection = new Connection();

    @Parameters(index = "0", paramLabel = "TOPIC")
    private String topic = "";

    @Option(names = "--partition", description = "Default: all, one after another")
    private Optional<Integer> partition = Optional.empty();

    @Option(
            names = "--offset",
            paramLabel = "N|earliest|latest",
            converter = PositionConverter.class,
            description = "Where to begin; latest: with the last messages that were put together. Default: earliest")
    private long offset = SimpleConsumer.EARLIEST;

    @Option(names = "--count", description = "Stop after so many messages")
    private long count = Long.MAX_VALUE;

    @Option(
            names = {"-f", "--follow"},
            description = "Go on with new messages until Ctrl-C; needs --partition")
    private boolean follow;

    @Option(names = "--offsets", description = "Print partition and offset before each message")
    private boolean offsets;

    GetCommand(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    @Override
    public Integer call() throws TalosClientException, CommandException, IOException {
        if (partition.isEmpty() && (follow || offset >= 0)) {
            throw new CommandException((follow ? "--follow" : "--offset N") + " needs --partition");
        }
        TalosEndpoint endpoint = connection.endpoint(surroundings);
        TalosAdmin admin = new TalosAdmin(endpoint);
        TopicDescription described = admin.describeTopic(topic);
        long left = count;
        for (PartitionOffsets each : chosen(described, admin.offsets(described))) {
            if (left > 0
                    && (follow || offset >= 0 || each.messages() > 0)) { // asking an empty one would wait for a message
                left -= print(new SimpleConsumer(endpoint, described, each.partition()), each, left);
            }
        }
        return 0;
    }

    private List<PartitionOffsets> chosen(TopicDescription described, List<PartitionOffsets> all)
            throws CommandException {
        List<PartitionOffsets> chosen = all.stream()
                .filter(each -> partition.orElse(each.partition()) == each.partition())
                .toList();
        if (chosen.isEmpty()) {
            throw new CommandException(
                    "partition " + partition.orElse(0) + ": " + topic + " has 0 to " + (described.partitions() - 1));
        }
        return chosen;
    }

    /** Prints at most so many messages of a partition and says how many. */
    private long print(SimpleConsumer consumer, PartitionOffsets there, long most)
            throws TalosClientException, IOException {
        long last = follow ? Long.MAX_VALUE : there.end();
        long printed = 0;
        long next = offset;
        do {
            List<FetchedMessage> messages = consumer.fetch(next, (int) Math.min(most - printed, FETCH_MESSAGES));
            if (messages.isEmpty() && !follow) {
                return printed;
            }
            for (FetchedMessage message : messages) {
                next = message.offset() + 1;
                if (printed < most && message.offset() <= last) {
                    print(there.partition(), message);
                    printed++;
                }
            }
            surroundings.out().flush();
        } while (printed < most && next <= last);
        return printed;
    }

    private void print(int of, FetchedMessage message) throws IOException {
        OutputStream out = surroundings.out();
        if (offsets) {
            out.write((of + "\t" + message.offset() + "\t").getBytes(StandardCharsets.UTF_8));
        }
        out.write(message.body());
        out.write('\n');
    }
}
