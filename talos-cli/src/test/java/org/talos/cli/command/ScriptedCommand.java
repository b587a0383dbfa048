// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.command;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.talos.cli.CommandContext;
import org.talos.client.ScriptedServer;
import org.talos.client.ScriptedServer.Answer;
import org.talos.thrift.BaseQuota;
import org.talos.thrift.DescribeTopicResponse;
import org.talos.thrift.PartitionState;
import org.talos.thrift.TopicAttribute;
import org.talos.thrift.TopicInfo;
import org.talos.thrift.TopicState;
import org.talos.thrift.TopicStatus;
import org.talos.thrift.TopicTalosResourceName;
import picocli.CommandLine;

/** Commands against a scripted server, and what they print. Confined: to a test. */
final class ScriptedCommand implements AutoCloseable {
    /** The server is asked, and nothing comes back. */
    static final Answer NOTHING = (exchange, body) -> exchange.close();

    final ScriptedServer server = new ScriptedServer();
    final Map<String, String> environment = new HashMap<>();
    private final Path home;
    private final StringWriter err = new StringWriter();
    private byte[] in = new byte[0];
    private boolean interactive;
    private boolean watched;
    private OutputStream out = new ByteArrayOutputStream();

    ScriptedCommand(Path home) throws IOException {
        this.home = home;
        environment.putAll(Map.of(
                "TALOS_ENDPOINT",
                server.uri().toString(),
                "TALOS_ACCESS_KEY",
                "AKENV",
                "TALOS_SECRET_KEY",
                "env-secret"));
    }

    /** Sets what the next command reads from standard input, which is no terminal. */
    ScriptedCommand in(String text) {
        in = text.getBytes(StandardCharsets.UTF_8);
        interactive = false;
        return this;
    }

    /** Sets what is typed on the terminal that the next command has. */
    ScriptedCommand typing(String text) {
        in = text.getBytes(StandardCharsets.UTF_8);
        interactive = true;
        return this;
    }

    /** Sets that somebody sees what is written to standard error, as on a terminal. */
    ScriptedCommand watched() {
        watched = true;
        return this;
    }

    /** Lets all that is printed be lost, as on a full disk. */
    ScriptedCommand withoutRoomForOutput() {
        return withOutputThatFails("No space left on device");
    }

    /** Lets all that is printed be lost, as the program that read it has ended. */
    ScriptedCommand withoutReader() {
        return withOutputThatFails("Broken pipe");
    }

    private ScriptedCommand withOutputThatFails(String cause) {
        out = new OutputStream() {
            @Override
            public void write(int each) throws IOException {
                throw new IOException(cause);
            }
        };
        return this;
    }

    /** The exit code of a command. */
    int call(String... arguments) {
        var context = new CommandContext(
                Map.copyOf(environment), new ByteArrayInputStream(in), out, home, false, interactive, watched);
        CommandLine command = Talos.commandLine(context, Map.of(), arguments);
        command.setErr(new PrintWriter(err, true));
        return command.execute(arguments);
    }

    /** Returns the output of the commands. */
    String out() {
        return out.toString();
    }

    /** Returns the text that commands wrote to standard error. */
    String err() {
        return err.toString();
    }

    /** The answer that describes the topic {@code orders}. */
    static Answer topic(int partitions) {
        return topic(partitions, Map.of());
    }

    /** The answer that describes the topic {@code orders}, whose partitions hold these states. */
    static Answer topic(int partitions, Map<String, String> attributes, PartitionState... states) {
        return ScriptedServer.result(new DescribeTopicResponse(
                new TopicInfo("orders", new TopicTalosResourceName("me#orders#1"), "me"),
                new TopicAttribute()
                        .setPartitionNumber(partitions)
                        .setMessageRetentionSecs(3_600)
                        .setAttributes(attributes),
                new TopicState(0, TopicStatus.ACTIVE, 0, 0, List.of(states)),
                new BaseQuota(Long.MAX_VALUE),
                Map.of()));
    }

    @Override
    public void close() {
        server.close();
    }
}
