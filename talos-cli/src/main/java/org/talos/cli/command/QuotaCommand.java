// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.command;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.talos.cli.CommandContext;
import org.talos.cli.CommandException;
import org.talos.cli.Connection;
import org.talos.cli.Units;
import org.talos.cli.argument.BytesConverter;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.admin.OrgQuota;
import org.talos.client.admin.Quota;
import org.talos.client.admin.QuotaAdmin;
import org.talos.client.admin.TalosAdmin;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Sets, shows and removes quotas of users, topics and orgs.
 *
 * <p>Confined: the main thread.
 */
@Command(
        name = "quota",
        description = "Show and set what users, topics and orgs may use.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        addMethodSubcommands = false)
final class QuotaCommand {
    private static final String ROW = "%-32s %16s %8s %10s %10s %16s %16s";
    private static final String HEAD =
            String.format(Locale.ROOT, ROW, "OF", "SPACE/B", "TOPICS", "PUTS/S", "GETS/S", "PUT B/S", "GET B/S");
    private static final String HEAD_FOR_PEOPLE =
            String.format(Locale.ROOT, ROW, "OF", "SPACE", "TOPICS", "PUTS/S", "GETS/S", "PUT/S", "GET/S");

    private final CommandContext context;

    QuotaCommand(CommandContext context) {
        this.context = context;
    }

    /** The options for the user or topic that has the quota. Confined: the main thread. */
    static final class Subject {
        @Option(names = "--user", required = true, description = "A user's; for administrators")
        private Optional<String> user = Optional.empty();

        @Option(names = "--topic", required = true, description = "A topic's; for its owner")
        private Optional<String> topic = Optional.empty();

        String kind() {
            return user.isPresent() ? "user" : "topic";
        }

        String name() {
            return user.or(() -> topic).orElseThrow();
        }
    }

    /** The options for the bounds of a quota. Confined: the main thread. */
    static final class Bounds {
        @Option(
                names = "--space",
                paramLabel = "SIZE",
                converter = BytesConverter.class,
                description = "Bytes kept, or as 10GB, 64MiB")
        private Optional<Long> space = Optional.empty();

        @Option(names = "--topics", description = "Topics that a user may own, 1 to 1,000,000")
        private Optional<Integer> topics = Optional.empty();

        @Option(names = "--puts", description = "Puts a second")
        private Optional<Integer> puts = Optional.empty();

        @Option(names = "--gets", description = "Gets a second")
        private Optional<Integer> gets = Optional.empty();

        @Option(
                names = "--put-bytes",
                paramLabel = "SIZE",
                converter = BytesConverter.class,
                description = "Bytes put a second, or as 50MB, 8MiB")
        private Optional<Long> putBytes = Optional.empty();

        @Option(
                names = "--get-bytes",
                paramLabel = "SIZE",
                converter = BytesConverter.class,
                description = "Bytes got a second, or as 50MB, 8MiB")
        private Optional<Long> getBytes = Optional.empty();

        Quota quota() {
            return new Quota(
                    optional(space), count(topics), count(puts), count(gets), optional(putBytes), optional(getBytes));
        }
    }

    private QuotaAdmin admin(Connection connection) throws CommandException {
        return new QuotaAdmin(connection.client(context));
    }

    @Command(
            description = "Set a quota, in place of what was set. What is not given is without bound.",
            mixinStandardHelpOptions = true)
    void set(@Mixin Connection connection, @ArgGroup(multiplicity = "1") Subject of, @Mixin Bounds bounds)
            throws TalosClientException, CommandException {
        if (of.topic.isPresent() && bounds.topics.isPresent()) {
            throw CommandException.usage("--topics is for users");
        }
        Quota quota = bounds.quota();
        if (of.user.isPresent()) {
            TalosClient client = connection.client(context);
            new QuotaAdmin(client).setUser(of.name(), quota);
            TopicCommand.printWithWarning(
                    connection,
                    context,
                    Documents.done("set", of.kind(), of.name()),
                    "set",
                    warning(new TalosAdmin(client), of.name()));
        } else {
            admin(connection).setTopic(of.name(), quota);
            print(connection, "set", of.kind(), of.name());
        }
    }

    /** Returns a warning if there is no user of this name. Advice only: the quota is set, and holds for a later one. */
    private static Optional<String> warning(TalosAdmin admin, String user) {
        try {
            return admin.listUsers().stream().anyMatch(each -> each.userId().equals(user))
                    ? Optional.empty()
                    : Optional.of("there is no user " + user + " yet: 'talos user list' shows the others, 'talos quota "
                            + "delete --user " + user + "' removes this quota");
        } catch (TalosClientException e) {
            return Optional.empty();
        }
    }

    private void print(Connection connection, String done, String kind, String name) throws CommandException {
        connection.output().printDone(context, Documents.done(done, kind, name), done);
    }

    private static OptionalLong optional(Optional<Long> value) {
        return value.map(OptionalLong::of).orElseGet(OptionalLong::empty);
    }

    private static OptionalInt count(Optional<Integer> value) {
        return value.map(OptionalInt::of).orElseGet(OptionalInt::empty);
    }

    @Command(description = "Show your own quota, or a topic's.", mixinStandardHelpOptions = true)
    void show(
            @Mixin Connection connection,
            @Option(names = "--topic", description = "A topic's; for its owner") Optional<String> topic)
            throws TalosClientException, CommandException, IOException {
        Quota quota = topic.isPresent()
                ? admin(connection).ofTopic(topic.get())
                : admin(connection).own();
        connection
                .output()
                .print(
                        context,
                        Documents.Quota.of(quota, Optional.empty()),
                        List.of(head(connection), row(connection, topic.orElse("you"), quota)));
    }

    @Command(description = "List the users' quotas; for administrators.", mixinStandardHelpOptions = true)
    void list(@Mixin Connection connection) throws TalosClientException, CommandException, IOException {
        List<Documents.Quota> quotas = new ArrayList<>();
        List<String> text = new ArrayList<>(List.of(head(connection)));
        for (Map.Entry<String, Quota> each : admin(connection).ofUsers().entrySet()) {
            quotas.add(Documents.Quota.of(each.getValue(), Optional.of(each.getKey())));
            text.add(row(connection, each.getKey(), each.getValue()));
        }
        connection.output().print(context, new Documents.Quotas(quotas), text);
    }

    private String head(Connection connection) {
        return connection.output().isForPeople(context) ? HEAD_FOR_PEOPLE : HEAD;
    }

    private String row(Connection connection, String of, Quota quota) {
        boolean people = connection.output().isForPeople(context);
        return String.format(
                Locale.ROOT,
                ROW,
                of,
                bytes(quota.spaceBytes(), people),
                text(quota.topics()),
                text(quota.putsPerSecond()),
                text(quota.getsPerSecond()),
                bytes(quota.putBytesPerSecond(), people),
                bytes(quota.getBytesPerSecond(), people));
    }

    private static String bytes(OptionalLong value, boolean people) {
        if (value.isEmpty()) {
            return "-";
        }
        return people ? Units.bytes(value.getAsLong()) : Long.toString(value.getAsLong());
    }

    private static String text(OptionalInt value) {
        return value.isPresent() ? Integer.toString(value.getAsInt()) : "-";
    }

    @Command(description = "Remove a quota.", mixinStandardHelpOptions = true)
    void delete(@Mixin Connection connection, @ArgGroup(multiplicity = "1") Subject of)
            throws TalosClientException, CommandException {
        if (of.user.isPresent()) {
            admin(connection).deleteUser(of.name());
        } else {
            admin(connection).deleteTopic(of.name());
        }
        print(connection, "deleted", of.kind(), of.name());
    }

    @Command(description = "List the partitions that orgs have or have asked for.", mixinStandardHelpOptions = true)
    void orgs(@Mixin Connection connection) throws TalosClientException, CommandException, IOException {
        List<OrgQuota> orgs = admin(connection).ofOrgs();
        List<String> text = new ArrayList<>();
        text.add(String.format(Locale.ROOT, "%-32s %10s %10s %-8s %s", "ORG", "PARTITIONS", "USED", "STATE", "REASON"));
        for (OrgQuota each : orgs) {
            text.add(String.format(
                    Locale.ROOT,
                    "%-32s %10d %10d %-8s %s",
                    each.org(),
                    each.partitions(),
                    each.used(),
                    each.waiting() ? "waits" : "approved",
                    each.reason()));
        }
        connection.output().print(context, new Documents.Orgs(orgs), text);
    }

    @Command(description = "Ask for partitions for your org.", mixinStandardHelpOptions = true)
    void apply(
            @Mixin Connection connection,
            @Parameters(paramLabel = "ORG") String org,
            @Parameters(paramLabel = "PARTITIONS") int partitions,
            @Option(names = "--reason", defaultValue = "", description = "For the administrator who decides")
                    String reason)
            throws TalosClientException, CommandException {
        admin(connection).apply(org, partitions, reason);
        connection
                .output()
                .printDone(context, Documents.done("asked", "org", org), "asked; it waits for an administrator");
    }

    @Command(
            description = "Approve an org's application for this number of partitions.",
            mixinStandardHelpOptions = true)
    void approve(
            @Mixin Connection connection,
            @Parameters(paramLabel = "ORG") String org,
            @Parameters(paramLabel = "PARTITIONS") int partitions)
            throws TalosClientException, CommandException {
        admin(connection).approve(org, partitions);
        print(connection, "approved", "org", org);
    }

    @Command(
            description = "Refuse an org's application; its approved partitions stay.",
            mixinStandardHelpOptions = true)
    void refuse(@Mixin Connection connection, @Parameters(paramLabel = "ORG") String org)
            throws TalosClientException, CommandException {
        QuotaAdmin admin = admin(connection);
        if (of(org, true, admin.ofOrgs()).isEmpty()) { // an older server would revoke the org's quota
            throw CommandException.notThere(org + " has asked for nothing");
        }
        admin.refuse(org);
        print(connection, "refused", "org", org);
    }

    @Command(
            name = "take-back",
            description = "Take back the partitions that an org was given; topics that are there stay.",
            mixinStandardHelpOptions = true)
    void revokeApproval(@Mixin Connection connection, @Parameters(paramLabel = "ORG") String org)
            throws TalosClientException, CommandException {
        QuotaAdmin admin = admin(connection);
        List<OrgQuota> quotas = admin.ofOrgs();
        Optional<OrgQuota> asked = of(org, true, quotas);
        if (asked.isPresent()) { // an older server would refuse that instead
            throw new CommandException(
                    org + " has asked for " + asked.get().partitions() + ": approve or refuse that first");
        }
        if (of(org, false, quotas).isEmpty()) {
            throw CommandException.notThere(org + " has no quota");
        }
        admin.revokeApproval(org);
        print(connection, "taken back", "org", org);
    }

    private static Optional<OrgQuota> of(String org, boolean waiting, List<OrgQuota> quotas) {
        return quotas.stream()
                .filter(each -> each.org().equals(org) && each.waiting() == waiting)
                .findAny();
    }
}
