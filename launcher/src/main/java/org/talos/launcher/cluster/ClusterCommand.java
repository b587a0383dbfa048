// SPDX-License-Identifier: Apache-2.0
package org.talos.launcher.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.talos.cli.CommandContext;
import org.talos.cli.CommandException;
import org.talos.cli.Connection;
import org.talos.cli.Progress;
import org.talos.cli.RestCalls;
import org.talos.cli.argument.DurationConverter;
import org.talos.client.TalosClientException;
import org.talos.client.TalosEndpoint;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * The servers of a cluster, over REST: any of them answers.
 *
 * <p>Confined: the main thread.
 */
@Command(
        name = "cluster",
        description = "Show the servers of a cluster, and move partitions between them; for administrators. The "
                + "request is stored; the leader carries it out after the command has ended.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND")
public final class ClusterCommand {
    private final CommandContext context;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    /** Creates the command. */
    public ClusterCommand(CommandContext context) {
        this.context = context;
    }

    @Command(description = "Show servers, leader, and recent events.", mixinStandardHelpOptions = true)
    void status(@Mixin Connection connection) throws IOException, CommandException, InterruptedException {
        JsonNode status = calls(connection).status();
        List<String> lines = new ArrayList<>();
        String columns = "%-24s %-14s %10s  %-9s  %s";
        lines.add(String.format(Locale.ROOT, columns, "SERVER", "STATE", "PARTITIONS", "HEALTH", "ADDRESS"));
        for (JsonNode each : status.get("servers")) {
            String id = each.get("server").textValue();
            lines.add(String.format(
                    Locale.ROOT,
                    columns,
                    id,
                    each.get("state").textValue(),
                    each.get("partitions").longValue(),
                    health(each),
                    each.get("address").textValue()
                            + (id.equals(status.get("leader").textValue()) ? "  leads" : "")));
            for (JsonNode check : each.path("failing")) {
                lines.add(String.format(
                        Locale.ROOT,
                        "  %s: %s",
                        check.get("name").textValue(),
                        check.get("reason").textValue()));
            }
        }
        long without = status.path("withoutServer").longValue();
        if (without > 0) {
            lines.add("partitions without a server: " + without);
        }
        for (JsonNode each : status.get("events")) {
            lines.add(each.get("at").textValue() + "  " + each.get("text").textValue());
        }
        connection.output().print(context, status, lines);
    }

    @Command(
            description = "Show the settings of each server that --endpoint or the profile names: those that are not "
                    + "the default.",
            mixinStandardHelpOptions = true)
    void settings(
            @Mixin Connection connection,
            @Option(names = "--all", description = "Also those that have their default") boolean all)
            throws IOException, CommandException, TalosClientException {
        ObjectNode document = JsonNodeFactory.instance.objectNode();
        ArrayNode servers = document.putArray("servers");
        List<String> lines = new ArrayList<>();
        for (TalosEndpoint endpoint : connection.endpoints(context)) {
            JsonNode answer = new RestCalls(List.of(endpoint)).get(Map.of(), "overview", "settings");
            servers.add(answer);
            lines.add(answer.path("server").asText(endpoint.uri().toString()));
            for (JsonNode each : answer.path("settings")) {
                if (all || each.path("changed").booleanValue()) {
                    lines.add(setting(each));
                }
            }
        }
        connection.output().print(context, document, lines);
    }

    private static String setting(JsonNode setting) {
        String text = "  " + setting.path("key").asText() + ": "
                + setting.path("value").asText();
        boolean changed = setting.path("changed").booleanValue();
        return changed ? text + " (default: " + setting.path("usual").asText() + ")" : text;
    }

    /** Returns the health as the server reports it; a server that is away does not. */
    private static String health(JsonNode server) {
        return server.has("ready") ? server.get("ready").booleanValue() ? "ready" : "not ready" : "-";
    }

    private ClusterCalls calls(Connection connection) throws CommandException {
        return new ClusterCalls(connection.endpoints(context));
    }

    @Command(
            description = "Restart one server after another, each when all serve again what they served before.",
            mixinStandardHelpOptions = true)
    void restart(
            @Mixin Connection connection,
            @Option(
                            names = "--run",
                            paramLabel = "COMMAND",
                            required = true,
                            description = "Restarts a server and ends; {server} stands for its id")
                    String command,
            @Option(
                            names = "--within",
                            paramLabel = "DURATION",
                            converter = DurationConverter.class,
                            defaultValue = "60",
                            description = "For a server to serve again. Default: 60s, as cluster.delayRemoved")
                    int seconds)
            throws IOException, CommandException, InterruptedException {
        new RollingRestart(context, calls(connection), command, Duration.ofSeconds(seconds)).run();
    }

    @Command(description = "Level the load of all servers, by measured traffic.", mixinStandardHelpOptions = true)
    void rebalance(@Mixin Connection connection) throws IOException, CommandException, InterruptedException {
        wish(connection, "POST", "/rebalance", "", "the leader levels the servers' load");
    }

    @Command(description = "Give one partition to one server.", mixinStandardHelpOptions = true)
    void move(
            @Mixin Connection connection,
            @Parameters(paramLabel = "TOPIC") String topic,
            @Parameters(paramLabel = "PARTITION") int partition,
            @Parameters(paramLabel = "SERVER") String server)
            throws IOException, CommandException, InterruptedException {
        ObjectNode body = JsonNodeFactory.instance
                .objectNode()
                .put("topic", topic)
                .put("partition", partition)
                .put("server", server);
        String accepted = topic + ", partition " + partition + " goes to " + server;
        wish(connection, "POST", "/moves", body.toString(), accepted);
    }

    @Command(
            description = "Take all partitions from a server, a few at a time, and give it none.",
            mixinStandardHelpOptions = true)
    void drain(
            @Mixin Connection connection,
            @Parameters(paramLabel = "SERVER") String server,
            @Option(names = "--wait", description = "End when it has none any more, and show how far that is")
                    boolean wait,
            @Option(
                            names = "--within",
                            paramLabel = "DURATION",
                            converter = DurationConverter.class,
                            defaultValue = "600",
                            description = "With --wait: for all to have gone. Default: 10m")
                    int seconds)
            throws IOException, CommandException, InterruptedException {
        ClusterCalls calls = calls(connection);
        calls.wish("PUT", drainOf(server), "");
        String done = server + " is drained";
        if (wait) {
            try (Progress progress = connection.output().json()
                    ? Progress.silent()
                    : new Progress(context, spec.commandLine().getErr(), "drain", Progress.Unit.PARTITIONS, 0)) {
                new DrainWait(calls, server, Duration.ofSeconds(seconds), progress).run();
            }
            done = server + " has no partitions any more";
        }
        connection
                .output()
                .printDone(context, JsonNodeFactory.instance.objectNode().put("accepted", true), done);
    }

    @Command(description = "Let a drained server have partitions again.", mixinStandardHelpOptions = true)
    void resume(@Mixin Connection connection, @Parameters(paramLabel = "SERVER") String server)
            throws IOException, CommandException, InterruptedException {
        wish(connection, "DELETE", drainOf(server), "", server + " may have partitions again");
    }

    private static String drainOf(String server) {
        return "/servers/" + URLEncoder.encode(server, StandardCharsets.UTF_8) + "/drain";
    }

    private void wish(Connection connection, String method, String path, String body, String accepted)
            throws IOException, CommandException, InterruptedException {
        calls(connection).wish(method, path, body);
        connection
                .output()
                .printDone(context, JsonNodeFactory.instance.objectNode().put("accepted", true), accepted);
    }
}
