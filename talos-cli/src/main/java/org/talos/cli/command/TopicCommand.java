// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.talos.cli.CommandContext;
import org.talos.cli.CommandException;
import org.talos.cli.Connection;
import org.talos.cli.RestCalls;
import org.talos.cli.Units;
import org.talos.cli.argument.DurationConverter;
import org.talos.cli.argument.Position;
import org.talos.cli.argument.PositionConverter;
import org.talos.client.TalosClientException;
import org.talos.client.admin.Grantee;
import org.talos.client.admin.NewTopic;
import org.talos.client.admin.PartitionSize;
import org.talos.client.admin.TalosAdmin;
import org.talos.client.admin.TopicChange;
import org.talos.client.admin.TopicDescription;
import org.talos.client.admin.TopicRight;
import org.talos.common.name.Partitioner;
import org.talos.common.name.Skew;
import org.talos.common.name.TopicDefaults;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Creates, shows, changes and deletes topics, and grants permissions on them.
 *
 * <p>Confined: the main thread.
 */
@Command(
        name = "topic",
        description = "Create, show, change and delete topics.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        addMethodSubcommands = false)
final class TopicCommand {
    private static final String ROW = "%-32s %10s %12s  %s";
    private static final String FOUND = "%-32s %10s %14s %12s %10s  %s";
    private static final int PERCENT = 100;
    private static final String ORG = "CL"; // begins the names of orgs
    private static final String SEVERAL = "A name; or several by commas, or with * for any text: those are shown first";
    private static final String EXECUTE = "Do it, where TOPIC names several";

    private final CommandContext context;

    TopicCommand(CommandContext context) {
        this.context = context;
    }

    /** The permissions of a grant. */
    enum Right {
        PUT,
        GET,
        ALL;

        private Set<org.talos.client.admin.Right> rights() {
            return switch (this) {
                case PUT -> Set.of(org.talos.client.admin.Right.PUT);
                case GET -> Set.of(org.talos.client.admin.Right.GET);
                case ALL -> Set.of(org.talos.client.admin.Right.values());
            };
        }

        /** Returns the name as users type it, for help and completion. */
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private TalosAdmin admin(Connection connection) throws CommandException {
        return new TalosAdmin(connection.client(context));
    }

    @Command(description = "Create a topic.", mixinStandardHelpOptions = true)
    void create(
            @Mixin Connection connection,
            @Parameters(
                            paramLabel = "TOPIC",
                            description = "1 to 80 letters, digits, - and _, no dots; the first one a letter or digit, "
                                    + "the last one not _")
                    String name,
            @Option(
                            names = "--partitions",
                            paramLabel = "N",
                            defaultValue = "" + TopicDefaults.PARTITIONS,
                            description = "1 to 256; a topic can grow later, and not shrink. Default: "
                                    + TopicDefaults.PARTITIONS)
                    int partitions,
            @Option(
                            names = "--retention",
                            defaultValue = "" + TopicDefaults.RETENTION_SECONDS,
                            converter = DurationConverter.class,
                            description = "How long messages are kept at least, whether they are read or not: 1h to "
                                    + "365d; older ones are deleted. Default: 1d")
                    int retention,
            @Option(
                            names = "--partitioner",
                            paramLabel = "murmur2|sdk",
                            defaultValue = "murmur2",
                            description = "How keys are placed: murmur2 spreads all evenly, sdk is for topics to which "
                                    + "the public SDKs put by key. Default: murmur2")
                    Partitioner partitioner)
            throws TalosClientException, CommandException {
        int slash = name.indexOf('/');
        if (slash > 0 && !name.startsWith(ORG)) {
            throw CommandException.usage("'" + name.substring(0, slash)
                    + "' before the slash is an org, and the name of an org begins with " + ORG);
        }
        TopicDescription topic = admin(connection)
                .createTopic(NewTopic.of(name, partitions)
                        .withRetention(Duration.ofSeconds(retention))
                        .withPartitioner(partitioner));
        String text = "created " + topic.name() + ", partitions 0 to " + (topic.partitions() - 1);
        connection.output().printDone(context, Documents.Topic.of(topic), text);
    }

    /** The orders in which topics are listed. */
    enum Order {
        NAME,
        OWNER,
        MESSAGES,
        SIZE,
        RATE;

        private boolean isOfFigures() {
            return switch (this) {
                case NAME, OWNER -> false;
                case MESSAGES, SIZE, RATE -> true;
            };
        }

        /** Returns the name as users type it, for help and completion. */
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    @Command(
            description = "List your topics. With --contains or --sort, list all topics that you may use, with their "
                    + "contents.",
            mixinStandardHelpOptions = true)
    void list(
            @Mixin Connection connection,
            @Option(
                            names = "--contains",
                            paramLabel = "WORDS",
                            description = "Only topics with each of these words in name or owner, in any case")
                    Optional<String> contains,
            @Option(
                            names = "--sort",
                            paramLabel = "name|owner|messages|size|rate",
                            description = "messages, size, and rate begin with the largest. Default: name")
                    Optional<Order> sort)
            throws TalosClientException, CommandException, IOException {
        if (contains.isPresent() || sort.isPresent()) {
            find(connection, contains, sort.orElse(Order.NAME));
            return;
        }
        List<TopicDescription> topics = admin(connection).listTopics();
        List<String> text = new ArrayList<>();
        boolean people = connection.output().isForPeople(context);
        text.add(String.format(Locale.ROOT, ROW, "TOPIC", "PARTITIONS", people ? "RETENTION" : "RETENTION/S", "OWNER"));
        for (TopicDescription topic : topics) {
            text.add(String.format(
                    Locale.ROOT, ROW, topic.name(), topic.partitions(), retention(topic, people), topic.owner()));
        }
        connection
                .output()
                .print(
                        context,
                        new Documents.Topics(
                                topics.stream().map(Documents.Topic::of).toList()),
                        text);
    }

    private void find(Connection connection, Optional<String> contains, Order sort)
            throws TalosClientException, CommandException, IOException {
        ServedList list =
                new ServedList("topics").with("contains", contains).sorted(sort.toString(), sort.isOfFigures());
        List<JsonNode> found = list.read(new RestCalls(connection.endpoints(context)));
        boolean people = connection.output().isForPeople(context);
        List<String> text = new ArrayList<>();
        text.add(String.format(
                Locale.ROOT, FOUND, "TOPIC", "PARTITIONS", "MESSAGES", people ? "SIZE" : "BYTES", "PUTS/S", "OWNER"));
        for (JsonNode each : found) {
            JsonNode contents = each.path("contents");
            JsonNode bytes = contents.path("bytes");
            text.add(String.format(
                    Locale.ROOT,
                    FOUND,
                    each.path("name").asText(),
                    ServedList.text(contents.path("partitions")),
                    ServedList.text(contents.path("messages")),
                    people && bytes.isNumber() ? Units.bytes(bytes.asLong()) : ServedList.text(bytes),
                    ServedList.text(contents.path("putsPerSecond")),
                    each.path("owner").asText()));
        }
        connection.output().print(context, list.document(found), text);
    }

    private static String retention(TopicDescription topic, boolean people) {
        long seconds = topic.retention().toSeconds();
        return people ? Units.seconds(seconds) : Long.toString(seconds);
    }

    @Command(description = "Show a topic and the contents of its partitions.", mixinStandardHelpOptions = true)
    void describe(@Mixin Connection connection, @Parameters(paramLabel = "TOPIC") String name)
            throws TalosClientException, CommandException, IOException {
        TalosAdmin admin = admin(connection);
        TopicDescription topic = admin.describeTopic(name);
        List<PartitionSize> sizes = admin.sizes(name);
        Documents.Skews skews = Documents.Skews.of(sizes);
        connection
                .output()
                .print(
                        context,
                        Documents.Topic.of(topic).with(sizes, skews),
                        text(topic, sizes, skews, connection.output().isForPeople(context)));
    }

    private static List<String> text(
            TopicDescription topic, List<PartitionSize> sizes, Documents.Skews skews, boolean people) {
        List<String> text = new ArrayList<>();
        text.add("topic          " + topic.name());
        text.add("resource name  " + topic.resourceName());
        text.add("owner          " + topic.owner());
        text.add((people ? "retention      " : "retention/s    ") + retention(topic, people));
        text.add("partitions     " + topic.partitions());
        text.add("partitioner    " + topic.partitioner());
        skews.messages().ifPresent(skew -> text.add("skew           " + text(skew, "messages")));
        skews.bytes().ifPresent(skew -> text.add("               " + text(skew, "bytes")));
        text.add(String.format(
                Locale.ROOT, "%9s %14s %14s %14s %14s", "PARTITION", "FIRST", "LAST", "MESSAGES", "BYTES"));
        for (PartitionSize each : sizes) {
            text.add(String.format(
                    Locale.ROOT,
                    "%9d %14d %14s %14d %14s",
                    each.partition(),
                    each.start(),
                    each.messages() == 0 ? "-" : each.end() - 1,
                    each.messages(),
                    people ? Units.bytes(each.bytes()) : each.bytes()));
        }
        return text;
    }

    private static String text(Skew skew, String ofWhat) {
        return String.format(
                Locale.ROOT,
                "partition %d has %.1f %% of the %s, the mean is %.1f %%",
                skew.partition(),
                skew.share() * PERCENT,
                ofWhat,
                skew.mean() * PERCENT);
    }

    @Command(description = "Delete a topic with all its messages, or several.", mixinStandardHelpOptions = true)
    void delete(
            @Mixin Connection connection,
            @Mixin Confirmation confirmation,
            @Parameters(paramLabel = "TOPIC", description = SEVERAL) String name,
            @Option(names = "--execute", description = EXECUTE) boolean execute)
            throws TalosClientException, CommandException, IOException {
        if (SeveralTopics.areNamedBy(name)) {
            new SeveralTopics(context, connection)
                    .change(name, execute || confirmation.isGiven(), "deleted", admin(connection)::deleteTopic);
            return;
        }
        confirmation.require(context, name, "the topic " + name + " with all its messages");
        admin(connection).deleteTopic(name);
        connection.output().printDone(context, Documents.done("deleted", "topic", name), "deleted " + name);
    }

    @Command(
            description = "Create a topic of the same owner as another, with its settings, permissions, and quota.",
            mixinStandardHelpOptions = true)
    void copy(
            @Mixin Connection connection,
            @Parameters(paramLabel = "TOPIC") String name,
            @Parameters(paramLabel = "NEW", description = "The name of the new topic") String copy)
            throws TalosClientException, CommandException, IOException {
        String body = JsonNodeFactory.instance.objectNode().put("name", copy).toString();
        JsonNode made = new RestCalls(connection.endpoints(context)).post(body, "topics", name, "copy");
        connection
                .output()
                .printDone(context, made, "created " + made.path("name").asText() + " like " + name);
    }

    @Command(
            description = "Delete a topic with its messages and groups, and create it again with all else that it has. "
                    + "Shows what would be deleted; only --execute does it.",
            mixinStandardHelpOptions = true)
    void recreate(
            @Mixin Connection connection,
            @Parameters(paramLabel = "TOPIC") String name,
            @Option(names = "--execute", description = "Do it") boolean execute)
            throws TalosClientException, CommandException, IOException {
        if (execute) {
            JsonNode made = new RestCalls(connection.endpoints(context)).post("{}", "topics", name, "recreate");
            connection.output().printDone(context, made, "recreated " + name);
            return;
        }
        TalosAdmin admin = admin(connection);
        TopicDescription topic = admin.describeTopic(name);
        List<PartitionSize> sizes = admin.sizes(name);
        Documents.Skews skews = Documents.Skews.of(sizes);
        List<String> text = text(topic, sizes, skews, connection.output().isForPeople(context));
        text.add("these messages and all groups would go; nothing is changed yet: --execute does it");
        connection.output().print(context, Documents.Topic.of(topic).with(sizes, skews), text);
    }

    @Command(
            description = "Delete all messages of a topic for good, or the oldest ones. Shows what would be deleted; "
                    + "only --execute deletes it. Groups that stand before continue with what is left.",
            mixinStandardHelpOptions = true)
    void empty(
            @Mixin Connection connection,
            @Parameters(paramLabel = "TOPIC") String name,
            @Option(
                            names = "--before",
                            paramLabel = "latest|OFFSET|TIME",
                            defaultValue = "latest",
                            converter = PositionConverter.class,
                            description = "The first message that stays: an offset; a time, like "
                                    + "2026-01-31T12:00:00Z, yesterday or 1h, for the first one that the server took "
                                    + "in at or after it; latest for none. Default: latest")
                    Position before,
            @Option(names = "--partition", paramLabel = "N", description = "May be repeated. Default: all")
                    Set<Integer> partitions,
            @Option(names = "--execute", description = "Do it") boolean execute)
            throws TalosClientException, CommandException, IOException {
        String body = TopicEmptying.body(before, partitions, !execute);
        String[] path = {"topics", name, "empty"};
        RestCalls calls = new RestCalls(connection.endpoints(context));
        JsonNode answer = execute ? calls.post(body, path) : calls.preview(body, path);
        List<String> text = TopicEmptying.text(answer, connection.output().isForPeople(context));
        if (execute) {
            text.add("deleted");
            connection.output().printDone(context, answer, text);
        } else {
            text.add("nothing is deleted yet: --execute does it");
            connection.output().print(context, answer, text);
        }
    }

    @Command(description = "Change a topic, or several.", mixinStandardHelpOptions = true)
    void alter(
            @Mixin Connection connection,
            @Parameters(paramLabel = "TOPIC", description = SEVERAL) String name,
            @Option(names = "--partitions", description = "More than it has, at most 256") Optional<Integer> partitions,
            @Option(
                            names = "--retention",
                            converter = DurationConverter.class,
                            description = "How long messages are kept at least: 1h to 365d")
                    Optional<Integer> retention,
            @Option(names = "--execute", description = EXECUTE) boolean execute)
            throws TalosClientException, CommandException, IOException {
        if (partitions.isEmpty() && retention.isEmpty()) {
            throw CommandException.usage("nothing to change (give --partitions, --retention or both)");
        }
        TopicChange change = TopicChange.NONE;
        change = partitions.isPresent() ? change.withPartitions(partitions.get()) : change;
        change = retention.isPresent() ? change.withRetention(Duration.ofSeconds(retention.get())) : change;
        TalosAdmin admin = admin(connection);
        if (SeveralTopics.areNamedBy(name)) {
            TopicChange asked = change;
            new SeveralTopics(context, connection)
                    .change(name, execute, "changed", topic -> admin.alterTopic(topic, asked));
            return;
        }
        admin.alterTopic(name, change);
        connection.output().printDone(context, Documents.done("changed", "topic", name), "changed " + name);
    }

    @Command(
            description = "Let a user, team or org put to a topic or several, get from it, or both.",
            mixinStandardHelpOptions = true)
    void grant(
            @Mixin Connection connection,
            @Parameters(paramLabel = "TOPIC", description = SEVERAL) String name,
            @Parameters(paramLabel = "GRANTEE", description = "A user, team or org") String grantee,
            @Parameters(paramLabel = "RIGHT", description = "put, get or all") Right right,
            @Option(names = "--execute", description = EXECUTE) boolean execute)
            throws TalosClientException, CommandException, IOException {
        TalosAdmin admin = admin(connection);
        if (SeveralTopics.areNamedBy(name)) {
            new SeveralTopics(context, connection)
                    .change(name, execute, "granted", topic -> admin.grant(topic, Grantee.of(grantee), right.rights()));
            return;
        }
        admin.grant(name, Grantee.of(grantee), right.rights());
        Optional<String> warning = warning(admin, grantee);
        printWithWarning(
                connection, context, Documents.done("granted", "topic", name, "grantee", grantee), "granted", warning);
    }

    /**
     * Returns a warning about a grantee. Advice only: earlier servers give none, and a grant must not fail because of
     * it.
     */
    static Optional<String> warning(TalosAdmin admin, String grantee) {
        try {
            return admin.warning(Grantee.of(grantee));
        } catch (TalosClientException e) {
            return Optional.empty();
        }
    }

    /** Returns a warning about the revocation from an unknown name. Advice only. */
    static Optional<String> warningOfRevoke(TalosAdmin admin, String grantee) {
        return warning(admin, grantee).map(any -> "no user, team, or org is named " + grantee);
    }

    /** Prints the result of a change, and the warning if there is one. */
    static void printWithWarning(
            Connection connection,
            CommandContext context,
            Map<String, String> document,
            String text,
            Optional<String> warning)
            throws CommandException {
        warning.ifPresent(sentence -> document.put("warning", sentence));
        List<String> lines = new ArrayList<>(List.of(text));
        warning.ifPresent(sentence -> lines.add("warning: " + sentence));
        connection.output().printDone(context, document, lines);
    }

    @Command(
            description = "List the users, teams and orgs that may put to a topic and get from it.",
            mixinStandardHelpOptions = true)
    void rights(@Mixin Connection connection, @Parameters(paramLabel = "TOPIC") String name)
            throws TalosClientException, CommandException, IOException {
        List<TopicRight> rights = admin(connection).rights(name);
        List<String> text = new ArrayList<>();
        text.add(String.format(Locale.ROOT, "%-32s %-5s %s", "GRANTEE", "PUT", "GET"));
        for (TopicRight each : rights) {
            text.add(String.format(
                    Locale.ROOT,
                    "%-32s %-5s %s",
                    each.grantee().id(),
                    each.rights().contains(org.talos.client.admin.Right.PUT) ? "yes" : "no",
                    each.rights().contains(org.talos.client.admin.Right.GET) ? "yes" : "no"));
        }
        connection.output().print(context, Documents.Rights.of(rights), text);
    }

    @Command(description = "Take all rights to a topic from a user, team or org.", mixinStandardHelpOptions = true)
    void revoke(
            @Mixin Connection connection,
            @Parameters(paramLabel = "TOPIC") String name,
            @Parameters(paramLabel = "GRANTEE", description = "A user, team or org") String grantee)
            throws TalosClientException, CommandException {
        TalosAdmin admin = admin(connection);
        admin.revoke(name, Grantee.of(grantee));
        printWithWarning(
                connection,
                context,
                Documents.done("revoked", "topic", name, "grantee", grantee),
                "revoked",
                warningOfRevoke(admin, grantee));
    }
}
