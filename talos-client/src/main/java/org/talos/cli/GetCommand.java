// SPDX-License-Identifier: Apache-2.0
package org.talos.cli;

import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import org.talos.client.FetchedMessage;
import org.talos.client.SimpleConsumer;
import org.talos.client.TalosAdmin;
import org.talos.client.TalosClientException;
import org.talos.client.TalosEndpoint;
import org.talos.client.TopicDescription;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Gets messages of a partition. Confined: the main thread. */
@Command(name = "get", description = "Get messages from a topic.", mixinStandardHelpOptions = true)
final class GetCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private ServerOptions server = new ServerOptions();

    @Parameters(index = "0", paramLabel = "TOPIC")
    private String topicName = "";

    @Option(names = "--partition", defaultValue = "0", description = "Which (${DEFAULT-VALUE}).")
    private int partition;

    @Option(
            names = "--offset",
            defaultValue = "earliest",
            description = "A number, earliest or latest (${DEFAULT-VALUE}).")
    private String offset = "earliest";

    @Option(names = "--count", defaultValue = "10", description = "At most so many (${DEFAULT-VALUE}).")
    private int count;

    @Option(names = "--follow", description = "Go on with what comes, until Ctrl-C.")
    private boolean follow;

    @Override
    public Integer call() throws TalosClientException, CommandFailure {
        TalosEndpoint endpoint = server.endpoint();
        TopicDescription topic = new TalosAdmin(endpoint).describeTopic(topicName);
        SimpleConsumer consumer = new SimpleConsumer(endpoint, topic, partition);
        PrintWriter out = spec.commandLine().getOut();
        long next = start();
        int left = count;
        while (follow || left > 0) {
            List<FetchedMessage> messages = consumer.fetch(next, follow ? 1_000 : left);
            if (messages.isEmpty() && !follow) {
                break;
            }
            for (FetchedMessage message : messages) {
                if (follow || left-- > 0) {
                    out.println(message.offset() + "\t" + message.text());
                    next = message.offset() + 1;
                }
            }
            out.flush();
        }
        return 0;
    }

    private long start() {
        return switch (offset) {
            case "earliest" -> SimpleConsumer.EARLIEST;
            case "latest" -> SimpleConsumer.LATEST;
            default -> {
                try {
                    yield Long.parseLong(offset);
                } catch (NumberFormatException e) {
                    throw new ParameterException(
                            spec.commandLine(), "--offset: " + offset + " (expected: a number, earliest or latest)");
                }
            }
        };
    }
}
