// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.training;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import org.apache.thrift.TException;
import org.talos.cli.CommandContext;
import org.talos.cli.ExitCodes;
import org.talos.cli.command.Talos;
import org.talos.common.wire.Envelope;
import org.talos.common.wire.EnvelopeHead;
import org.talos.common.wire.ThriftEncoding;
import org.talos.common.wire.Wire;
import org.talos.thrift.ListTopicsInfoResponse;
import org.talos.thrift.PartitionState;
import org.talos.thrift.Topic;
import org.talos.thrift.TopicAttribute;
import org.talos.thrift.TopicInfo;
import org.talos.thrift.TopicState;
import org.talos.thrift.TopicStatus;
import org.talos.thrift.TopicTalosResourceName;

/**
 * Runs a command against a server that this process plays, so that the class image has all classes from the arguments
 * to the printed answer: those for the answer take as long to load as those before it.
 *
 * <p>Confined: the main thread.
 */
public final class TrainingRun {
    private static final int OK = 200;

    private TrainingRun() {}

    /** Lists a topic, as text for an endpoint that is an option and as JSON for one of the environment. */
    public static void main(String[] arguments) throws IOException {
        System.exit(run(CommandContext.ofProcess()));
    }

    /** Returns the exit code of the commands. */
    static int run(CommandContext context) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", TrainingRun::answer);
        server.start();
        try {
            String uri = "http://127.0.0.1:" + server.getAddress().getPort();
            CommandContext played = new CommandContext(
                    Map.of("TALOS_ENDPOINT", uri, "TALOS_ACCESS_KEY", "none", "TALOS_SECRET_KEY", "none"),
                    context.in(),
                    context.out(),
                    context.home(),
                    context.terminal());
            int text = execute(played, "topic", "list", "--endpoint", uri);
            return text == ExitCodes.DONE ? execute(played, "topic", "list", "-o", "json") : text;
        } finally {
            server.stop(0);
        }
    }

    private static int execute(CommandContext context, String... arguments) {
        return Talos.commandLine(context, Map.of(), arguments).execute(arguments);
    }

    private static void answer(HttpExchange exchange) throws IOException {
        byte[] body = exchange.getRequestBody().readAllBytes();
        try (exchange) {
            EnvelopeHead call = Envelope.readHead(Wire.reader(ThriftEncoding.COMPACT, body, 0, body.length));
            List<ByteBuffer> reply = Envelope.reply(ThriftEncoding.COMPACT, call, topics(), null);
            exchange.sendResponseHeaders(
                    OK, reply.stream().mapToLong(ByteBuffer::remaining).sum());
            OutputStream out = exchange.getResponseBody();
            for (ByteBuffer part : reply) {
                byte[] bytes = new byte[part.remaining()];
                part.get(bytes);
                out.write(bytes);
            }
        } catch (TException e) {
            throw new IOException(e);
        }
    }

    private static ListTopicsInfoResponse topics() {
        TopicInfo info = new TopicInfo("training", new TopicTalosResourceName("none#training#0"), "none");
        TopicAttribute attribute = new TopicAttribute().setPartitionNumber(1).setMessageRetentionSecs(1);
        TopicState state = new TopicState(0, TopicStatus.ACTIVE, 0, 0, List.of(new PartitionState(0, 0, 0, 0, 0)));
        return new ListTopicsInfoResponse(List.of(new Topic(info, attribute, state)));
    }
}
