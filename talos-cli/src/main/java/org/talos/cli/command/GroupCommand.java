// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;
import org.talos.cli.CommandContext;
import org.talos.cli.CommandException;
import org.talos.cli.Connection;
import org.talos.cli.RestCalls;
import org.talos.cli.Waiting;
import org.talos.cli.argument.Position;
import org.talos.cli.argument.PositionConverter;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.admin.Grantee;
import org.talos.client.admin.GroupAdmin;
import org.talos.client.admin.GroupDescription;
import org.talos.client.admin.GroupReset;
import org.talos.client.admin.GroupRight;
import org.talos.client.admin.TalosAdmin;
import org.talos.client.admin.TopicDescription;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * Lists, shows, resets, deletes consumer groups, and grants rights on them.
 *
 * <p>Confined: the main thread.
 */
@Command(
        name = "group",
        description = "Show, reset, delete and grant consumer groups.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        addMethodSubcommands = false)
final class GroupCommand {
    private static final String ROW = "%9s %14s %14s %14s  %s";
    private static final String LISTED = "%-32s %s";
    private static final String FOUND = "%-32s %-32s %14s";
    private static final String MOVE = "%9s %14s %14s";

    private final CommandContext context;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    GroupCommand(CommandContext context) {
        this.context = context;
    }

    private GroupAdmin admin(Connection connection) throws CommandException {
        return new GroupAdmin(connection.client(context));
    }

    /** The orders in which groups are listed. */
    enum Order {
        NAME,
        TOPIC,
        LAG;

        /** Returns the name as users type it, for help and completion. */
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    @Command(
            description = "List the groups of a topic, or of all your topics. With --contains or --sort, list those of "
                    + "all topics that you may describe, with their lag.",
            mixinStandardHelpOptions = true)
    void list(
            @Mixin Connection connection,
            @Parameters(paramLabel = "TOPIC", arity = "0..1", description = "Default: all of them")
                    Optional<String> topic,
            @Option(
                            names = "--contains",
                            paramLabel = "WORDS",
                            description = "Only groups with each of these words in group or topic, in any case")
                    Optional<String> contains,
            @Option(
                            names = "--sort",
                            paramLabel = "name|topic|lag",
                            description = "lag begins with the largest. Default: name")
                    Optional<Order> sort)
            throws TalosClientException, CommandException, IOException {
        if (contains.isPresent() || sort.isPresent()) {
            find(connection, topic, contains, sort.orElse(Order.NAME));
            return;
        }
        if (topic.isPresent()) {
            SortedSet<String> groups = admin(connection).list(topic.get());
            connection.output().print(context, new Documents.Groups(List.copyOf(groups)), List.copyOf(groups));
            return;
        }
        TalosClient client = connection.client(context);
        List<Documents.TopicGroups> all = Waiting.during(
                context.unwatchedIf(connection.output().json()),
                spec.commandLine().getErr(),
                "list",
                () -> ofAllTopics(client));
        List<String> text = new ArrayList<>();
        text.add(String.format(Locale.ROOT, LISTED, "TOPIC", "GROUP"));
        for (Documents.TopicGroups each : all) {
            each.groups().forEach(group -> text.add(String.format(Locale.ROOT, LISTED, each.topic(), group)));
        }
        connection.output().print(context, new Documents.TopicsGroups(all), text);
    }

    private void find(Connection connection, Optional<String> topic, Optional<String> contains, Order sort)
            throws TalosClientException, CommandException, IOException {
        ServedList list = new ServedList("groups")
                .with("topic", topic)
                .with("contains", contains)
                .sorted(sort.toString(), sort == Order.LAG);
        List<JsonNode> found = list.read(new RestCalls(connection.endpoints(context)));
        List<String> text = new ArrayList<>();
        text.add(String.format(Locale.ROOT, FOUND, "TOPIC", "GROUP", "LAG"));
        for (JsonNode each : found) {
            text.add(String.format(
                    Locale.ROOT,
                    FOUND,
                    each.path("topic").asText(),
                    each.path("group").asText(),
                    ServedList.text(each.path("lag"))));
        }
        list.warning().ifPresent(sentence -> text.add("warning: " + sentence));
        connection.output().print(context, list.document(found), text);
    }

    /** Lists the groups of each topic, by name; topics that are deleted in the meantime are left out. */
    private static List<Documents.TopicGroups> ofAllTopics(TalosClient client) throws TalosClientException {
        List<String> topics = new TalosAdmin(client)
                .listTopics().stream().map(TopicDescription::name).sorted().toList();
        GroupAdmin admin = new GroupAdmin(client);
        List<Documents.TopicGroups> all = new ArrayList<>();
        for (String each : topics) {
            try {
                all.add(new Documents.TopicGroups(each, List.copyOf(admin.list(each))));
            } catch (TalosClientException e) {
                if (!e.code().equals("TOPIC_NOT_EXIST")) {
                    throw e;
                }
            }
        }
        return all;
    }

    @Command(
            description = "Show how far a group is in each partition, and who reads it. COMMITTED is the next offset "
                    + "that the group reads, END the next one that is given to a message.",
            mixinStandardHelpOptions = true)
    void describe(
            @Mixin Connection connection,
            @Parameters(paramLabel = "TOPIC") String topic,
            @Parameters(paramLabel = "GROUP") String group)
            throws TalosClientException, CommandException, IOException {
        GroupDescription found = admin(connection).describe(topic, group);
        List<String> text = new ArrayList<>();
        text.add(String.format(Locale.ROOT, ROW, "PARTITION", "COMMITTED", "END", "LAG", "MEMBER"));
        for (GroupDescription.Partition each : found.partitions()) {
            text.add(String.format(
                    Locale.ROOT,
                    ROW,
                    each.partition(),
                    text(each.committed()),
                    text(each.end()),
                    text(each.lag()),
                    each.member().orElse("-")));
        }
        found.members().forEach((member, held) -> {
            if (held.isEmpty()) {
                text.add(String.format(Locale.ROOT, ROW, "-", "-", "-", "-", member));
            }
        });
        text.add("owner: " + found.owner().orElse("nobody"));
        found.grants()
                .forEach((grantee, right) -> text.add(
                        "granted to " + grantee.id() + ": " + right.name().toLowerCase(Locale.ROOT)));
        text.add("lag: " + (found.lag().isPresent() ? text(found.lag()) : "not known while partitions have no server"));
        connection.output().print(context, Documents.Group.of(found), text);
    }

    @Command(
            description =
                    "Let a user, team or org use a group; what they had before is replaced. read: see it; commit: "
                            + "join and commit too; administer: reset, delete and grant it too. Users who get from a "
                            + "topic use their own groups without this.",
            mixinStandardHelpOptions = true)
    void grant(
            @Mixin Connection connection,
            @Parameters(paramLabel = "TOPIC") String topic,
            @Parameters(paramLabel = "GROUP") String group,
            @Parameters(paramLabel = "GRANTEE") String grantee,
            @Parameters(paramLabel = "read|commit|administer") GroupRight right)
            throws TalosClientException, CommandException, IOException {
        GroupAdmin admin = admin(connection);
        Optional<String> ofGroup = warningOfNewGroup(admin, topic, group);
        admin.grant(topic, group, Grantee.of(grantee), right);
        Optional<String> ofGrantee = TopicCommand.warning(new TalosAdmin(connection.client(context)), grantee);
        TopicCommand.printWithWarning(
                connection,
                context,
                Documents.done(
                        "granted",
                        "group",
                        group,
                        "topic",
                        topic,
                        "grantee",
                        grantee,
                        "right",
                        right.name().toLowerCase(Locale.ROOT)),
                "granted to " + grantee,
                joined(ofGrantee, ofGroup));
    }

    private static Optional<String> joined(Optional<String> one, Optional<String> other) {
        return one.isPresent() && other.isPresent() ? Optional.of(one.get() + "; " + other.get()) : one.or(() -> other);
    }

    /** Returns a warning if a topic has no group of this name. Advice only: a grant must not fail because of it. */
    private static Optional<String> warningOfNewGroup(GroupAdmin admin, String topic, String group) {
        try {
            return admin.list(topic).contains(group)
                    ? Optional.empty()
                    : Optional.of(
                            "there was no group " + group + " yet: 'talos group list " + topic + "' shows the others");
        } catch (TalosClientException e) {
            return Optional.empty();
        }
    }

    @Command(
            description =
                    "Take from a user, team or org what was granted. Their members last until their time is over.",
            mixinStandardHelpOptions = true)
    void revoke(
            @Mixin Connection connection,
            @Parameters(paramLabel = "TOPIC") String topic,
            @Parameters(paramLabel = "GROUP") String group,
            @Parameters(paramLabel = "GRANTEE") String grantee)
            throws TalosClientException, CommandException, IOException {
        admin(connection).revoke(topic, group, Grantee.of(grantee));
        TopicCommand.printWithWarning(
                connection,
                context,
                Documents.done("revoked", "group", group, "topic", topic, "grantee", grantee),
                "revoked from " + grantee,
                TopicCommand.warningOfRevoke(new TalosAdmin(connection.client(context)), grantee));
    }

    private static String text(OptionalLong offset) {
        return offset.isPresent() ? Long.toString(offset.getAsLong()) : "-";
    }

    @Command(
            description = "Move a group to another place in its partitions. Shows what would change; only --execute "
                    + "changes it.",
            mixinStandardHelpOptions = true)
    void reset(
            @Mixin Connection connection,
            @Parameters(paramLabel = "TOPIC") String topic,
            @Parameters(paramLabel = "GROUP") String group,
            @Option(
                            names = "--to",
                            required = true,
                            paramLabel = "earliest|latest|OFFSET|TIME",
                            converter = PositionConverter.class,
                            description = "The next offset to read; latest: only new messages; a time, like "
                                    + "2026-01-31T12:00:00Z, yesterday or 1h: the first message that the server took "
                                    + "in at or after it")
                    Position to,
            @Option(names = "--partition", paramLabel = "N", description = "May be repeated. Default: all")
                    Set<Integer> partitions,
            @Option(names = "--execute", description = "Do it") boolean execute,
            @Option(names = "--force", description = "Also while the group has members; their commits may undo it")
                    boolean force)
            throws TalosClientException, CommandException, IOException {
        GroupReset place = to.reset()
                .orElseThrow(
                        () -> CommandException.usage("--to last (expected: earliest, latest, an offset or a time)"));
        GroupReset reset = narrowed(place, partitions);
        GroupReset asked = force ? reset.evenWithMembers() : reset;
        GroupAdmin admin = admin(connection);
        List<GroupReset.Move> moves = Waiting.during(
                context.unwatchedIf(connection.output().json()),
                spec.commandLine().getErr(),
                "reset",
                () -> execute ? admin.reset(topic, group, asked) : admin.preview(topic, group, asked));
        List<String> text = new ArrayList<>();
        text.add(String.format(Locale.ROOT, MOVE, "PARTITION", "FROM", "TO"));
        for (GroupReset.Move move : moves) {
            text.add(String.format(Locale.ROOT, MOVE, move.partition(), text(move.from()), move.to()));
        }
        Optional<String> warning = warning(topic, group, moves, execute);
        warning.ifPresent(sentence -> text.add("warning: " + sentence));
        text.add(execute ? "reset" : "nothing is changed yet: --execute does it");
        Documents.Reset document = new Documents.Reset(!execute, moves, warning);
        if (execute) {
            connection.output().printDone(context, document, text);
        } else {
            connection.output().print(context, document, text);
        }
    }

    /** Returns a warning for a group that has committed in none of these partitions: its name may be a typing error. */
    private static Optional<String> warning(String topic, String group, List<GroupReset.Move> moves, boolean execute) {
        if (moves.stream().anyMatch(move -> move.from().isPresent())) {
            return Optional.empty();
        }
        return Optional.of("no group " + group + " has committed in these partitions yet: 'talos group list " + topic
                + "' shows the topic's groups"
                + (execute ? ", 'talos group delete " + topic + " " + group + "' removes this one" : ""));
    }

    /** Returns the reset for some partitions; the parser passes null if none is given. */
    private static GroupReset narrowed(GroupReset reset, @Nullable Set<Integer> partitions) {
        return partitions == null ? reset : reset.on(partitions);
    }

    @Command(
            name = "undo-reset",
            description = "Move a group back to where it was before its last reset. Shows what would change; only "
                    + "--execute changes it. It works once for each reset.",
            mixinStandardHelpOptions = true)
    void undoReset(
            @Mixin Connection connection,
            @Parameters(paramLabel = "TOPIC") String topic,
            @Parameters(paramLabel = "GROUP") String group,
            @Option(names = "--execute", description = "Do it") boolean execute,
            @Option(names = "--force", description = "Also while the group has members; their commits may undo it")
                    boolean force)
            throws TalosClientException, CommandException, IOException {
        String body = "{\"preview\": " + !execute + ", \"force\": " + force + "}";
        String[] path = {"topics", topic, "groups", group, "reset", "undo"};
        RestCalls calls = new RestCalls(connection.endpoints(context));
        JsonNode answer = execute ? calls.post(body, path) : calls.preview(body, path);
        List<Documents.UndoneMove> moves = new ArrayList<>();
        List<String> text = new ArrayList<>();
        text.add(String.format(Locale.ROOT, MOVE, "PARTITION", "FROM", "TO"));
        for (JsonNode each : answer.path("partitions")) {
            Documents.UndoneMove move =
                    new Documents.UndoneMove(each.path("partition").asInt(), offset(each, "from"), offset(each, "to"));
            moves.add(move);
            text.add(String.format(Locale.ROOT, MOVE, move.partition(), text(move.from()), text(move.to())));
        }
        text.add(execute ? "undone" : "nothing is changed yet: --execute does it");
        Documents.Undo document = new Documents.Undo(!execute, moves);
        if (execute) {
            connection.output().printDone(context, document, text);
        } else {
            connection.output().print(context, document, text);
        }
    }

    private static OptionalLong offset(JsonNode move, String name) {
        return move.hasNonNull(name) ? OptionalLong.of(move.get(name).asLong()) : OptionalLong.empty();
    }

    @Command(description = "Forget a group's offsets; refused while it has members.", mixinStandardHelpOptions = true)
    void delete(
            @Mixin Connection connection,
            @Mixin Confirmation confirmation,
            @Parameters(paramLabel = "TOPIC") String topic,
            @Parameters(paramLabel = "GROUP") String group)
            throws TalosClientException, CommandException, IOException {
        confirmation.require(context, group, "the offsets of the group " + group + " of " + topic);
        admin(connection).delete(topic, group);
        connection
                .output()
                .printDone(context, Documents.done("deleted", "group", group, "topic", topic), "deleted " + group);
    }
}
