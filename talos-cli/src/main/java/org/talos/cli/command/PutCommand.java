// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.command;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.talos.cli.CommandException;
import org.talos.cli.Connection;
import org.talos.cli.ExitCodes;
import org.talos.cli.Surroundings;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.admin.TalosAdmin;
import org.talos.client.admin.TopicDescription;
import org.talos.client.producer.Compression;
import org.talos.client.producer.OutgoingMessage;
import org.talos.client.producer.SimpleProducer;
import org.talos.common.name.Partitioner;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Puts messages: those of the command line, files, or lines from standard input.
 *
 * <p>Confined: the main thread.
 */
@Command(name = "put", description = "Put messages to a topic.", mixinStandardHelpOptions = true)
final class PutCommand implements Callable<Integer> {
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

    @Option(
            names = "--file",
            arity = "1..*",
            paramLabel = "FILE",
            description = "Put files in place of lines, each as one message")
    private List<Path> files = List.of();

    @Option(
            names = "--format",
            paramLabel = "text|ndjson",
            description = "What a line is: a message as it is, or a JSON object with value, json or base64 and perhaps "
                    + "key and partition. Default: text")
    private MessageFormat format = MessageFormat.TEXT;

    @Option(
            names = "--partition",
            paramLabel = "N",
            description = "Default: what the line says, else that of the key; without a key, 0")
    private Optional<Integer> partition = Optional.empty();

    @Option(names = "--key", description = "Key of all messages that have none of their own")
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
        boolean lines = files.isEmpty() && (messages.isEmpty() || messages.equals(List.of("-")));
        refuseContradictions(lines);
        TalosClient client = connection.client(surroundings);
        TopicDescription described = new TalosAdmin(client).describeTopic(topic);
        PutBatches batches = new PutBatches(new SimpleProducer(client, described, compression));
        if (lines) {
            putLines(described, batches);
        }
        for (Path file : files) {
            put(described, batches, read(file), OptionalInt.empty());
        }
        if (!lines && files.isEmpty()) {
            for (String text : messages) {
                put(described, batches, OutgoingMessage.of(text), OptionalInt.empty());
            }
        }
        batches.flush();
        tell(batches);
        return ExitCodes.DONE;
    }

    private void refuseContradictions(boolean lines) throws CommandException {
        if (!files.isEmpty() && !messages.isEmpty()) {
            throw CommandException.usage("--file and MESSAGE exclude each other");
        }
        if (format == MessageFormat.RAW || (format == MessageFormat.NDJSON && !lines)) {
            throw CommandException.usage(
                    format == MessageFormat.RAW
                            ? "--format raw is for get; put a file's bytes with --file"
                            : "--format ndjson is for lines from standard input");
        }
    }

    private static OutgoingMessage read(Path file) throws CommandException {
        try {
            return OutgoingMessage.of(Files.readAllBytes(file));
        } catch (IOException e) {
            throw new CommandException("file " + file + " can't be read", e);
        }
    }

    /** What waits goes when no more input is there yet, so that what is typed arrives at once. */
    private void putLines(TopicDescription described, PutBatches batches)
            throws TalosClientException, CommandException, IOException {
        InputLines in = new InputLines(surroundings.in());
        for (byte[] line = in.next(); line != null; line = in.next()) {
            if (line.length > 0) {
                MessageJson.Line read = read(line, in.number(), batches);
                put(described, batches, read.message(), read.partition());
            }
            if (!in.ready()) {
                batches.flush();
            }
        }
    }

    private MessageJson.Line read(byte[] line, long number, PutBatches batches)
            throws TalosClientException, CommandException {
        if (format == MessageFormat.TEXT) {
            return new MessageJson.Line(OutgoingMessage.of(line), OptionalInt.empty());
        }
        try {
            return MessageJson.read(line);
        } catch (CommandException e) {
            batches.flush(); // the lines before a wrong one are put, and no others
            throw new CommandException(
                    "line " + number + ": " + e.getMessage() + " (" + batches.total() + " messages were put; no more)",
                    e);
        }
    }

    private void put(TopicDescription described, PutBatches batches, OutgoingMessage message, OptionalInt wanted)
            throws TalosClientException, CommandException {
        Optional<String> its = message.key().or(() -> key);
        OutgoingMessage keyed = its.map(message::withKey).orElse(message);
        int ofKey = its.map(each -> Partitioner.partition(each, described.partitions()))
                .orElse(0);
        batches.add(partition.orElse(wanted.orElse(ofKey)), keyed);
    }

    private void tell(PutBatches batches) throws IOException {
        ObjectNode json = Documents.object().put("topic", topic).put("messages", batches.total());
        ArrayNode partitions = json.putArray("partitions");
        batches.byPartition()
                .forEach((number, count) ->
                        partitions.addObject().put("partition", number).put("messages", count));
        String where = batches.byPartition().keySet().stream()
                .map(number -> Integer.toString(number))
                .collect(Collectors.joining(", "));
        String text = "put " + batches.total() + (batches.total() == 1 ? " message" : " messages") + " to " + topic
                + (batches.byPartition().size() > 1 ? ", partitions " : ", partition ") + where;
        connection.output().print(surroundings, json, batches.total() == 0 ? "put nothing to " + topic : text);
    }
}
