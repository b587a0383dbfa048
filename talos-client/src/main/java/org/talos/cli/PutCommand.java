// SPDX-License-Identifier: Apache-2.0
package org.talos.cli;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
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
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Puts messages: those named, or the lines of standard input. Confined: the main thread. */
@Command(name = "put", description = "Put messages to a topic.", mixinStandardHelpOptions = true)
final class PutCommand implements Callable<Integer> {
    private static final int BATCH = 500;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private ServerOptions server = new ServerOptions();

    @Parameters(index = "0", paramLabel = "TOPIC")
    private String topicName = "";

    @Parameters(index = "1..*", paramLabel = "MESSAGE", description = "Texts; none or - means the lines of stdin.")
    private List<String> texts = new ArrayList<>();

    @Option(names = "--partition", description = "Where to; else by the key, else 0.")
    private @Nullable Integer partition;

    @Option(names = "--key", description = "The messages' key; it chooses the partition.")
    private @Nullable String key;

    @Option(names = "--compression", defaultValue = "snappy", description = "${COMPLETION-CANDIDATES} (snappy).")
    private Compression compression = Compression.SNAPPY;

    @Override
    public Integer call() throws TalosClientException, CommandFailure, IOException {
        TalosEndpoint endpoint = server.endpoint();
        TopicDescription topic = new TalosAdmin(endpoint).describeTopic(topicName);
        SimpleProducer producer = new SimpleProducer(endpoint, topic, compression);
        int target = target(topic);
        int put = 0;
        if (texts.isEmpty() || texts.equals(List.of("-"))) {
            put = putLines(producer, target);
        } else {
            producer.put(target, texts.stream().map(this::message).toList());
            put = texts.size();
        }
        spec.commandLine().getOut().println("put " + put + " to " + topicName + " partition " + target);
        return 0;
    }

    private int target(TopicDescription topic) {
        if (partition != null) {
            return partition;
        }
        return key == null ? 0 : Partitioner.partition(key, topic.partitions());
    }

    private OutgoingMessage message(String text) {
        OutgoingMessage message = OutgoingMessage.of(text);
        return key == null ? message : message.withKey(key);
    }

    private int putLines(SimpleProducer producer, int target) throws IOException, TalosClientException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        List<OutgoingMessage> batch = new ArrayList<>();
        int put = 0;
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            if (!line.isEmpty()) {
                batch.add(message(line));
            }
            if (batch.size() == BATCH) {
                producer.put(target, batch);
                put += batch.size();
                batch.clear();
            }
        }
        if (!batch.isEmpty()) {
            producer.put(target, batch);
        }
        return put + batch.size();
    }
}
