// SPDX-License-Identifier: Apache-2.0
package org.talos.cli;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.talos.client.Compression;
import org.talos.client.OutgoingMessage;
import org.talos.client.SimpleProducer;
import org.talos.client.TalosAdmin;
import org.talos.client.TalosClientException;
import org.talos.client.TalosEndpoint;
import org.talos.client.TopicDescription;
import org.talos.common.name.Partitioner;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Puts messages: those of the command line, or one a line from standard input.
 *
 * <p>Confined: the main thread.
 */
@Command(name = "put", description = "Put messages to a topic.", mixinStandardHelpOptions = true)
final class PutCommand implements Callable<Integer> {
    private static final int BATCH_MESSAGES = 1_000;
    private static final int BATCH_CHARACTERS = 1 << 20;

    private final Surroundings surroundings;

    @Mixin
    private Connection connection = new Connection();

    @Parameters(index = "0", paramLabel = "TOPIC")
    private String topic = "";

    @Parameters(
            index = "1..*",
            arity = "0..*",
            paramLabel = "MESSAGE",
            description = "None, or -: lines from standard input; empty lines are left out")
    private List<String> messages = List.of();

    @Option(names = "--partition", description = "Default: that of the key; without a key, 0")
    private Optional<Integer> partition = Optional.empty();

    @Option(names = "--key", description = "Key of all messages")
    private Optional<String> key = Optional.empty();

    @Option(
            names = "--compression",
            description = "NONE, SNAPPY, GZIP, ZSTD or LZ4. Default: SNAPPY, which every SDK reads")
    private Compression compression = Compression.SNAPPY;

    PutCommand(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    @Override
    public Integer call() throws TalosClientException, CommandException, IOException {
        TalosEndpoint endpoint = connection.endpoint(surroundings);
        TopicDescription described = new TalosAdmin(endpoint).describeTopic(topic);
        int target = partition.orElse(key.map(each -> Partitioner.partition(each, described.partitions()))
                .orElse(0));
        SimpleProducer producer = new SimpleProducer(endpoint, described, compression);
        boolean piped = messages.isEmpty() || messages.equals(List.of("-"));
        int put = piped ? putLines(producer, target) : put(producer, target, messages);
        surroundings.line(
                "put " + put + (put == 1 ? " message" : " messages") + " to " + topic + ", partition " + target);
        return 0;
    }

    private int put(SimpleProducer producer, int target, List<String> texts) throws TalosClientException {
        producer.put(
                target,
                texts.stream()
                        .map(OutgoingMessage::of)
                        .map(each -> key.map(each::withKey).orElse(each))
                        .toList());
        return texts.size();
    }

    /** A batch goes when it is full or when no more input is there yet, so that what is typed arrives at once. */
    private int putLines(SimpleProducer producer, int target)
            throws TalosClientException, CommandException, IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(surroundings.in(), StandardCharsets.UTF_8));
        int done = 0;
        int characters = 0;
        List<String> batch = new ArrayList<>();
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            if (!line.isEmpty()) {
                batch.add(line);
                characters += line.length();
            }
            if (!batch.isEmpty() && (batch.size() == BATCH_MESSAGES || characters >= BATCH_CHARACTERS || !in.ready())) {
                done += putAfter(done, producer, target, batch);
                batch.clear();
                characters = 0;
            }
        }
        return done + (batch.isEmpty() ? 0 : putAfter(done, producer, target, batch));
    }

    private int putAfter(int done, SimpleProducer producer, int target, List<String> batch)
            throws TalosClientException, CommandException {
        try {
            return put(producer, target, batch);
        } catch (TalosClientException e) {
            if (done == 0) {
                throw e;
            }
            String rest = e.outcome() == TalosClientException.Outcome.UNKNOWN
                    ? "; the next " + batch.size() + " may have been put"
                    : "; no more";
            throw new CommandException(e.getMessage() + " (" + done + " messages were put" + rest + ")", e);
        }
    }
}
