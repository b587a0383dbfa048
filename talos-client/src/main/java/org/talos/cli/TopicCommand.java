// SPDX-License-Identifier: Apache-2.0
package org.talos.cli;

import java.io.PrintWriter;
import org.talos.client.PartitionOffsets;
import org.talos.client.TalosAdmin;
import org.talos.client.TalosClientException;
import org.talos.client.TopicDescription;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The commands about topics. Confined: the main thread. */
@Command(name = "topic", description = "Create, list, describe, alter, delete topics; grant and revoke rights.")
final class TopicCommand implements Runnable {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Which? Try: talos topic --help");
    }

    private PrintWriter out() {
        return spec.commandLine().getOut();
    }

    @Command(name = "create", description = "Make a topic.", mixinStandardHelpOptions = true)
    int create(
            @Mixin ServerOptions server,
            @Parameters(paramLabel = "TOPIC") String name,
            @Option(names = "--partitions", defaultValue = "8", description = "1 to 256 (${DEFAULT-VALUE}).")
                    int partitions,
            @Option(
                            names = "--retention-seconds",
                            defaultValue = "86400",
                            description = "How long messages are kept at least (${DEFAULT-VALUE}).")
                    int retentionSeconds)
            throws TalosClientException, CommandFailure {
        TopicDescription topic = server.admin().createTopic(name, partitions, retentionSeconds);
        out().println("created " + topic.name() + " (" + topic.resourceName() + ")");
        return 0;
    }

    @Command(name = "list", description = "The caller's topics.", mixinStandardHelpOptions = true)
    int list(@Mixin ServerOptions server) throws TalosClientException, CommandFailure {
        for (TopicDescription topic : server.admin().listTopics()) {
            out().println(topic.name() + "\t" + topic.partitions() + " partitions");
        }
        return 0;
    }

    @Command(name = "describe", description = "A topic and what is in it.", mixinStandardHelpOptions = true)
    int describe(@Mixin ServerOptions server, @Parameters(paramLabel = "TOPIC") String name)
            throws TalosClientException, CommandFailure {
        TalosAdmin admin = server.admin();
        TopicDescription topic = admin.describeTopic(name);
        out().println("topic       " + topic.name());
        out().println("resource    " + topic.resourceName());
        out().println("owner       " + topic.owner());
        out().println("retention   " + topic.retentionSeconds() + " s");
        out().println("partition   start   end   messages");
        for (PartitionOffsets offsets : admin.offsets(topic)) {
            out().printf("%9d %7d %5d %10d%n", offsets.partition(), offsets.start(), offsets.end(), offsets.messages());
        }
        return 0;
    }

    @Command(name = "alter", description = "Add partitions, change the retention.", mixinStandardHelpOptions = true)
    int alter(
            @Mixin ServerOptions server,
            @Parameters(paramLabel = "TOPIC") String name,
            @Option(names = "--partitions", defaultValue = "0", description = "New number; not fewer than now.")
                    int partitions,
            @Option(names = "--retention-seconds", defaultValue = "0") int retentionSeconds)
            throws TalosClientException, CommandFailure {
        TalosAdmin admin = server.admin();
        TopicDescription now = admin.describeTopic(name);
        admin.alterTopic(
                name,
                partitions == 0 ? now.partitions() : partitions,
                retentionSeconds == 0 ? now.retentionSeconds() : retentionSeconds);
        out().println("altered " + name);
        return 0;
    }

    @Command(name = "delete", description = "Delete a topic with all its messages.", mixinStandardHelpOptions = true)
    int delete(@Mixin ServerOptions server, @Parameters(paramLabel = "TOPIC") String name)
            throws TalosClientException, CommandFailure {
        server.admin().deleteTopic(name);
        out().println("deleted " + name);
        return 0;
    }

    @Command(name = "grant", description = "Let a user, team or org use a topic.", mixinStandardHelpOptions = true)
    int grant(
            @Mixin ServerOptions server,
            @Parameters(paramLabel = "TOPIC") String name,
            @Parameters(paramLabel = "USER") String user,
            @Option(names = "--put", description = "May put.") boolean put,
            @Option(names = "--get", description = "May get.") boolean get)
            throws TalosClientException, CommandFailure {
        if (!put && !get) {
            throw new ParameterException(spec.commandLine(), "Grant what? --put, --get or both.");
        }
        server.admin().grant(name, user, put, get);
        out().println("granted " + (put ? "put " : "") + (get ? "get " : "") + "on " + name + " to " + user);
        return 0;
    }

    @Command(name = "revoke", description = "Take all rights to a topic away.", mixinStandardHelpOptions = true)
    int revoke(
            @Mixin ServerOptions server,
            @Parameters(paramLabel = "TOPIC") String name,
            @Parameters(paramLabel = "USER") String user)
            throws TalosClientException, CommandFailure {
        server.admin().revoke(name, user);
        out().println("revoked all on " + name + " from " + user);
        return 0;
    }
}
