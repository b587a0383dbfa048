// SPDX-License-Identifier: Apache-2.0
package org.talos.cli;

import java.io.IOException;
import java.util.Optional;
import org.talos.client.PartitionOffsets;
import org.talos.client.TalosAdmin;
import org.talos.client.TalosClientException;
import org.talos.client.TopicDescription;
import org.talos.client.TopicRight;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Topics and who may use them.
 *
 * <p>Confined: the main thread.
 */
@Command(
        name = "topic",
        description = "Create, look at, change and delete topics.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND")
final class TopicCommand {
    private static final String ROW = "%-32s %10s %12s  %s";

    private final Surroundings surroundings;

    TopicCommand(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    /** What a grant lets its grantee do. */
    enum Right {
        PUT,
        GET,
        ALL
    }

    private TalosAdmin admin(Connection connection) throws CommandException {
        return new TalosAdmin(connection.endpoint(surroundings));
    }

    @Command(description = "Create a topic.", mixinStandardHelpOptions = true)
    void create(
            @Mixin Connection connection,
            @Parameters(paramLabel = "TOPIC") String name,
            @Option(names = "--partitions", defaultValue = "8", description = "1 to 256. Default: 8") int partitions,
            @Option(
                            names = "--retention",
                            defaultValue = "1d",
                            converter = RetentionConverter.class,
                            description = "How long messages are kept at least: 1h to 365d. Default: 1d")
                    int retention)
            throws TalosClientException, CommandException, IOException {
        TopicDescription topic = admin(connection).createTopic(name, partitions, retention);
        surroundings.line("created " + topic.name() + ", partitions 0 to " + (topic.partitions() - 1));
    }

    @Command(description = "List your topics.", mixinStandardHelpOptions = true)
    void list(@Mixin Connection connection) throws TalosClientException, CommandException, IOException {
        surroundings.line(ROW.formatted("TOPIC", "PARTITIONS", "RETENTION/S", "OWNER"));
        for (TopicDescription topic : admin(connection).listTopics()) {
            surroundings.line(ROW.formatted(topic.name(), topic.partitions(), topic.retentionSeconds(), topic.owner()));
        }
    }

    @Command(description = "Show a topic and what its partitions hold.", mixinStandardHelpOptions = true)
    void describe(@Mixin Connection connection, @Parameters(paramLabel = "TOPIC") String name)
            throws TalosClientException, CommandException, IOException {
        TalosAdmin admin = admin(connection);
        TopicDescription topic = admin.describeTopic(name);
        surroundings.line("topic          " + topic.name());
        surroundings.line("resource name  " + topic.resourceName());
        surroundings.line("owner          " + topic.owner());
        surroundings.line("retention/s    " + topic.retentionSeconds());
        surroundings.line("partitions     " + topic.partitions());
        surroundings.line("%9s %14s %14s %14s".formatted("PARTITION", "FIRST", "LAST", "MESSAGES"));
        for (PartitionOffsets each : admin.offsets(topic)) {
            surroundings.line(
                    "%9d %14d %14d %14d".formatted(each.partition(), each.start(), each.end(), each.messages()));
        }
    }

    @Command(description = "Delete a topic with all its messages.", mixinStandardHelpOptions = true)
    void delete(@Mixin Connection connection, @Parameters(paramLabel = "TOPIC") String name)
            throws TalosClientException, CommandException, IOException {
        admin(connection).deleteTopic(name);
        surroundings.line("deleted " + name);
    }

    @Command(description = "Change a topic.", mixinStandardHelpOptions = true)
    void alter(
            @Mixin Connection connection,
            @Parameters(paramLabel = "TOPIC") String name,
            @Option(names = "--partitions", description = "More than it has, at most 256") Optional<Integer> partitions,
            @Option(
                            names = "--retention",
                            converter = RetentionConverter.class,
                            description = "How long messages are kept at least: 1h to 365d")
                    Optional<Integer> retention)
            throws TalosClientException, CommandException, IOException {
        if (partitions.isEmpty() && retention.isEmpty()) {
            throw new CommandException("nothing to change (give --partitions, --retention or both)");
        }
        TalosAdmin admin = admin(connection);
        TopicDescription topic = admin.describeTopic(name);
        admin.alterTopic(name, partitions.orElse(topic.partitions()), retention.orElse(topic.retentionSeconds()));
        surroundings.line("changed " + name);
    }

    @Command(description = "Let somebody put to a topic, get from it, or both.", mixinStandardHelpOptions = true)
    void grant(
            @Mixin Connection connection,
            @Parameters(paramLabel = "TOPIC") String name,
            @Parameters(paramLabel = "GRANTEE", description = "A user, team or org") String grantee,
            @Parameters(paramLabel = "RIGHT", description = "put, get or all") Right right)
            throws TalosClientException, CommandException, IOException {
        admin(connection).grant(name, grantee, right != Right.GET, right != Right.PUT);
        surroundings.line("granted");
    }

    @Command(description = "List who may put to a topic and get from it.", mixinStandardHelpOptions = true)
    void rights(@Mixin Connection connection, @Parameters(paramLabel = "TOPIC") String name)
            throws TalosClientException, CommandException, IOException {
        surroundings.line("%-32s %-5s %s".formatted("GRANTEE", "PUT", "GET"));
        for (TopicRight each : admin(connection).rights(name)) {
            surroundings.line("%-32s %-5s %s"
                    .formatted(each.grantee(), each.mayPut() ? "yes" : "no", each.mayGet() ? "yes" : "no"));
        }
    }

    @Command(description = "Take all rights to a topic from somebody.", mixinStandardHelpOptions = true)
    void revoke(
            @Mixin Connection connection,
            @Parameters(paramLabel = "TOPIC") String name,
            @Parameters(paramLabel = "GRANTEE", description = "A user, team or org") String grantee)
            throws TalosClientException, CommandException, IOException {
        admin(connection).revoke(name, grantee);
        surroundings.line("revoked");
    }
}
