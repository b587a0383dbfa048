// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.command;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.talos.cli.CommandContext;
import org.talos.cli.CommandException;
import org.talos.cli.Connection;
import org.talos.cli.ExitCodes;
import org.talos.cli.Progress;
import org.talos.cli.Units;
import org.talos.cli.Waiting;
import org.talos.cli.argument.Header;
import org.talos.cli.argument.HeaderConverter;
import org.talos.cli.message.HeapShare;
import org.talos.cli.message.JsonLines;
import org.talos.cli.message.KeyedLine;
import org.talos.cli.message.MessageFile;
import org.talos.cli.message.StreamFormat;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.Transport;
import org.talos.client.admin.TalosAdmin;
import org.talos.client.admin.TopicDescription;
import org.talos.client.producer.Compression;
import org.talos.client.producer.OutgoingMessage;
import org.talos.client.producer.PipelinedProducer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * Puts messages from the command line, from files, or from lines of standard input.
 *
 * <p>Confined: the main thread.
 */
@Command(name = "put", description = "Put messages to a topic.", mixinStandardHelpOptions = true)
final class PutCommand implements Callable<Integer> {
    /** The number of batches that covers the round trip to a distant server, and several partitions. */
    private static final int MOST_ON_STREAM = 64;

    private final CommandContext context;

    @Mixin
    private Connection connection = new Connection();

    @Parameters(index = "0", paramLabel = "TOPIC")
    private String topic = "";

    @Parameters(
            index = "1..*",
            arity = "0..*",
            paramLabel = "MESSAGE",
            description =
                    "None, or -: lines from standard input, of which empty ones are left out unless --empty-lines "
                            + "is given")
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
                    + "key, partition and headers. Default: text")
    private StreamFormat format = StreamFormat.TEXT;

    @Option(
            names = "--partition",
            paramLabel = "N",
            description = "Default: what the line says, else that of the key; without a key, one after another")
    private Optional<Integer> partition = Optional.empty();

    @Option(names = "--key", description = "Key of all messages that have none of their own")
    private Optional<String> key = Optional.empty();

    @Option(names = "--empty-lines", description = "With --format text: put empty lines too, as messages of no bytes")
    private boolean emptyLines;

    @Option(
            names = "--header",
            paramLabel = "NAME:VALUE",
            converter = HeaderConverter.class,
            description = "Header of all messages that have none of that name; may be repeated")
    private List<Header> headers = List.of();

    @Option(
            names = "--key-separator",
            paramLabel = "TEXT",
            description = "With --format text: what is before the first TEXT of a line is its key, what is behind it "
                    + "its value; ':' say, or \\t. A line without it is refused, an empty key is none")
    private Optional<String> keySeparator = Optional.empty();

    @Option(
            names = "--compression",
            description = "NONE, SNAPPY, GZIP, ZSTD or LZ4. Default: SNAPPY, which every SDK reads")
    private Compression compression = Compression.SNAPPY;

    @Option(
            names = "--stream",
            description = "Put over a stream, with many batches under way at once: worth it for many messages, above "
                    + "all when the server is far or slow to store; where there is no stream, by calls")
    private boolean stream;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    private Lines form = PutCommand::text;
    private Progress shown = Progress.silent();
    private long whole; // bytes of the input; 0 if that is not known

    /** The meaning of a line. */
    @FunctionalInterface
    private interface Lines {
        JsonLines.Line read(byte[] line) throws CommandException;
    }

    PutCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public Integer call() throws TalosClientException, CommandException, IOException {
        boolean lines = files.isEmpty() && (messages.isEmpty() || messages.equals(List.of("-")));
        refuseContradictions(lines);
        form = form();
        refuseLargeFiles();
        TalosClient client = connection.client(context, stream ? Transport.STREAM : Transport.CALLS);
        TopicDescription described = new TalosAdmin(client).describeTopic(topic);
        try (Progress progress = progress(lines);
                Waiting waiting = waiting();
                PipelinedProducer producer = new PipelinedProducer(client, described, compression)) {
            shown = progress;
            PutBatches batches = new PutBatches(
                    producer,
                    described.partitions(),
                    Math.floorMod(UUID.randomUUID().hashCode(), described.partitions()), // not always the same first
                    stream ? MOST_ON_STREAM : 1);
            put(lines, described, batches);
            progress.end();
            waiting.end();
            report(batches);
        }
        return ExitCodes.DONE;
    }

    /** Prints the summary if a signal, like that of Ctrl-C, ends the process. */
    private void summarize(PutBatches batches) {
        String line = context.interactive() ? System.lineSeparator() : ""; // behind the prompt and ^C
        spec.commandLine()
                .getErr()
                .println(line + "talos: interrupted: "
                        + PutSummary.of(topic, batches).interruptedText());
        spec.commandLine().getErr().flush();
    }

    /** Returns the progress by the bytes of the input; an interactive user needs none. */
    private Progress progress(boolean lines) throws CommandException {
        boolean several = lines ? !context.interactive() : files.size() > 1;
        if (connection.output().json() || !several) {
            return Progress.silent();
        }
        whole = lines ? context.inputBytes() : 0;
        for (Path file : files) {
            whole += new MessageFile(file).bytes();
        }
        return new Progress(context, spec.commandLine().getErr(), "put", Progress.Unit.BYTES, whole);
    }

    /** A single file is one message: its size is unknown until all of it is read. */
    private Waiting waiting() throws CommandException {
        long bytes = files.isEmpty() ? 0 : new MessageFile(files.get(0)).bytes();
        return Waiting.begin(
                context.unwatchedIf(files.size() != 1 || connection.output().json()),
                spec.commandLine().getErr(),
                bytes > 0 ? "put  " + Units.bytes(bytes) : "put");
    }

    private void put(boolean lines, TopicDescription described, PutBatches batches)
            throws TalosClientException, CommandException, IOException {
        try (SignalStep summary = new SignalStep(() -> summarize(batches))) {
            if (lines) {
                summary.begin();
                putLines(described, batches);
            } else {
                putArguments(described, batches);
            }
            batches.flush();
        } catch (TalosClientException | CommandException | IOException | RuntimeException e) {
            PutProgress progress = batches.progress();
            if (progress.isNothing()) {
                throw e;
            }
            throw halfway(e, progress, lines);
        }
    }

    /** Returns the failure of a put of which a part is stored, or may be: a repetition would store that part twice. */
    private CommandException halfway(Exception failure, PutProgress progress, boolean lines) {
        OptionalLong total = lines ? OptionalLong.empty() : OptionalLong.of(Math.max(files.size(), messages.size()));
        Documents.PutParts document = progress.document(total);
        String unit = lines ? "lines" : files.isEmpty() ? "messages" : "files";
        String reason = failure instanceof TalosClientException || failure instanceof CommandException
                ? String.valueOf(failure.getMessage())
                : failure.toString();
        return CommandException.partly(
                reason + " (" + document.text(unit) + ")", failure, progress.isUnknown(), document);
    }

    private void refuseContradictions(boolean lines) throws CommandException {
        if (!files.isEmpty() && !messages.isEmpty()) {
            throw CommandException.usage("--file and MESSAGE exclude each other");
        }
        refuseForLines(lines);
    }

    private void refuseForLines(boolean lines) throws CommandException {
        if (format == StreamFormat.RAW || (format == StreamFormat.NDJSON && !lines)) {
            throw CommandException.usage(
                    format == StreamFormat.RAW
                            ? "--format raw is for get; put a file's bytes with --file"
                            : "--format ndjson is for lines from standard input");
        }
        if ((emptyLines || keySeparator.isPresent()) && (format != StreamFormat.TEXT || !lines)) {
            throw CommandException.usage(
                    (emptyLines ? "--empty-lines" : "--key-separator") + " is for lines of text from standard input");
        }
    }

    /** Refuses wrong options before anything is put, as far as they are known then. */
    private void refuseLargeFiles() throws CommandException {
        for (Path file : files) {
            new MessageFile(file).refuseIfTooLarge(HeapShare.eighth());
        }
    }

    /**
     * Puts lines in batches; a batch also ends when no more input is there yet, so that typed lines are put at once.
     */
    private void putLines(TopicDescription described, PutBatches batches)
            throws TalosClientException, CommandException, IOException {
        boolean isTyped = context.interactive() && !connection.output().json();
        PromptedLines in =
                new PromptedLines(context.in(), isTyped, spec.commandLine().getErr());
        for (byte[] line = in.next(); line != null; line = in.next()) {
            if (line.length > 0 || emptyLines) {
                JsonLines.Line read = read(line, in.number(), batches);
                put(described, batches, read, in.number());
                shown.at(in.bytes(), whole);
            }
            if (!in.ready()) {
                batches.flush();
            }
        }
    }

    private Lines form() throws CommandException {
        if (format == StreamFormat.NDJSON) {
            return JsonLines::read;
        }
        if (keySeparator.isPresent()) {
            return new KeyedLine(keySeparator.get())::read;
        }
        return PutCommand::text;
    }

    private static JsonLines.Line text(byte[] line) {
        return new JsonLines.Line(OutgoingMessage.of(line), OptionalInt.empty());
    }

    private JsonLines.Line read(byte[] line, long number, PutBatches batches)
            throws TalosClientException, CommandException {
        try {
            return form.read(line);
        } catch (CommandException e) {
            batches.flush(); // the lines before a wrong one are put, and no others
            throw new CommandException("line " + number + ": " + e.getMessage(), e);
        }
    }

    private void putArguments(TopicDescription described, PutBatches batches)
            throws TalosClientException, CommandException {
        long number = 0;
        for (Path file : files) {
            OutgoingMessage message = OutgoingMessage.of(new MessageFile(file).read(HeapShare.eighth()));
            put(described, batches, new JsonLines.Line(message, OptionalInt.empty()), ++number);
            shown.add(message.bodyLength());
        }
        if (files.isEmpty()) {
            for (String text : messages) {
                put(described, batches, new JsonLines.Line(OutgoingMessage.of(text), OptionalInt.empty()), ++number);
            }
        }
    }

    private void put(TopicDescription described, PutBatches batches, JsonLines.Line line, long number)
            throws TalosClientException, CommandException {
        Optional<String> messageKey = line.message().key().or(() -> key);
        OutgoingMessage keyed = messageKey.map(line.message()::withKey).orElse(line.message());
        batches.add(partition(line.partition(), messageKey, described), withHeaders(keyed), number);
    }

    private OutgoingMessage withHeaders(OutgoingMessage message) throws CommandException {
        OutgoingMessage with = message;
        try {
            for (Header each : headers) {
                if (!message.headers().containsKey(each.name().toLowerCase(Locale.ROOT))) {
                    with = with.withHeader(each.name(), each.value());
                }
            }
        } catch (IllegalArgumentException e) {
            throw new CommandException(String.valueOf(e.getMessage()), e);
        }
        return with;
    }

    /**
     * Returns the partition that is named, by the option before the line, else that of the key; empty if any will do.
     */
    private OptionalInt partition(OptionalInt named, Optional<String> itsKey, TopicDescription described)
            throws CommandException {
        if (partition.isPresent()) {
            return OptionalInt.of(partition.get());
        }
        if (named.isPresent() || itsKey.isEmpty()) {
            return named;
        }
        try {
            return OptionalInt.of(described.partition(itsKey.get()));
        } catch (IllegalArgumentException e) {
            throw new CommandException("the key cannot be placed: " + e.getMessage(), e);
        }
    }

    private void report(PutBatches batches) throws CommandException {
        List<Documents.PartitionCount> counts = batches.byPartition().entrySet().stream()
                .map(each -> new Documents.PartitionCount(each.getKey(), each.getValue()))
                .toList();
        Documents.Put document = new Documents.Put(topic, batches.total(), counts);
        connection
                .output()
                .printDone(context, document, PutSummary.of(topic, batches).text());
    }
}
