// SPDX-License-Identifier: Apache-2.0
package org.talos.client;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.thrift.TBase;
import org.apache.thrift.TException;
import org.jspecify.annotations.Nullable;
import org.talos.common.wire.Envelope;
import org.talos.common.wire.EnvelopeHead;
import org.talos.common.wire.ThriftEncoding;
import org.talos.common.wire.Wire;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.GalaxyTalosException;
import org.talos.thrift.GetDescribeInfoResponse;
import org.talos.thrift.GetScheduleInfoResponse;
import org.talos.thrift.GetTopicAttributeResponse;
import org.talos.thrift.TopicAttribute;
import org.talos.thrift.TopicTalosResourceName;

/** A server that gives the scripted answers one after another and records the requests. Thread-safe. */
public final class ScriptedServer implements AutoCloseable {
    private final HttpServer server;
    private final Deque<Answer> script = new ConcurrentLinkedDeque<>();
    private final Queue<Asked> asked = new ConcurrentLinkedQueue<>();
    private final ExecutorService threads = Executors.newCachedThreadPool(); // an answer may wait while others do not
    private volatile Answer otherwise = status(500, Map.of(), "no answer is scripted for this request");
    private volatile GetScheduleInfoResponse schedule = new GetScheduleInfoResponse(Map.of());

    /** A recorded request. */
    @SuppressWarnings("ArrayRecordComponent") // nobody compares requests
    public record Asked(String method, String uri, Map<String, List<String>> headers, byte[] body) {
        /** The value of a header. */
        public String header(String name) {
            return headers.entrySet().stream()
                    .filter(each -> each.getKey().equalsIgnoreCase(name))
                    .map(each -> each.getValue().get(0))
                    .findFirst()
                    .orElseThrow();
        }

        /** The call's argument, read into an empty one. */
        public <R extends TBase<?, ?>> R request(R empty) {
            try {
                var in = Wire.reader(ThriftEncoding.COMPACT, body, 0, body.length);
                Envelope.readHead(in);
                Envelope.readArguments(in, empty);
                return empty;
            } catch (TException e) {
                throw new AssertionError(e);
            }
        }
    }

    /** A scripted answer. */
    public interface Answer {
        /** Writes the answer. */
        void to(HttpExchange exchange, byte[] body) throws IOException;
    }

    /** A server that listens on a free port. */
    public ScriptedServer() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::handle);
        server.setExecutor(threads);
        server.start();
    }

    private void handle(HttpExchange exchange) throws IOException {
        byte[] body = exchange.getRequestBody().readAllBytes();
        if (exchange.getRequestURI().toString().endsWith("type=getScheduleInfo")) {
            try (exchange) { // looked up in the background, at no fixed point of a script
                result(schedule).to(exchange, body);
            }
            return;
        }
        if (exchange.getRequestURI().getPath().endsWith("/stream")) {
            try (exchange) { // nor is the opening of a stream, which this server does not have
                status(404, Map.of(), "no streams").to(exchange, body);
            }
            return;
        }
        asked.add(new Asked(
                exchange.getRequestMethod(),
                exchange.getRequestURI().toString(),
                new HashMap<>(exchange.getRequestHeaders()),
                body));
        Answer answer = Optional.ofNullable(script.poll()).orElse(otherwise);
        try (exchange) {
            answer.to(exchange, body);
        }
    }

    /** Sets the answer to look-ups of routes. */
    public ScriptedServer schedule(GetScheduleInfoResponse answer) {
        schedule = answer;
        return this;
    }

    /** Adds an answer at the end of the script. */
    public ScriptedServer then(Answer answer) {
        script.add(answer);
        return this;
    }

    /** Sets the answer to what is asked when the script is at its end. */
    public ScriptedServer otherwise(Answer answer) {
        otherwise = answer;
        return this;
    }

    /** Adds an answer at the beginning of the script. */
    public ScriptedServer first(Answer answer) {
        script.addFirst(answer);
        return this;
    }

    /** An answer of a status with text and headers. */
    public static Answer status(int status, Map<String, String> headers, String text) {
        return (exchange, body) -> {
            headers.forEach((name, value) -> exchange.getResponseHeaders().set(name, value));
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(status, bytes.length);
            exchange.getResponseBody().write(bytes);
        };
    }

    /** An answer with a result. */
    public static Answer result(TBase<?, ?> result) {
        return (exchange, body) -> thrift(exchange, body, result, null);
    }

    /** The result of getDescribeInfo for the topic {@code orders}. */
    public static GetDescribeInfoResponse described(int partitions) {
        return new GetDescribeInfoResponse(new TopicTalosResourceName("me#orders#1"), partitions);
    }

    /** The result of getTopicAttribute for the topic {@code orders}. */
    public static GetTopicAttributeResponse attributed(int partitions, Map<String, String> attributes) {
        return new GetTopicAttributeResponse(
                new TopicTalosResourceName("me#orders#1"),
                new TopicAttribute().setPartitionNumber(partitions).setAttributes(attributes));
    }

    /** An answer without a result. */
    public static Answer done() {
        return (exchange, body) -> thrift(exchange, body, null, null);
    }

    /** An answer with an error of the protocol. */
    public static Answer error(ErrorCode code, String message) {
        GalaxyTalosException error = new GalaxyTalosException();
        error.setErrorCode(code);
        error.setErrMsg(message);
        return error(error);
    }

    /** An answer with this error. */
    public static Answer error(GalaxyTalosException error) {
        return (exchange, body) -> thrift(exchange, body, null, error);
    }

    private static void thrift(
            HttpExchange exchange, byte[] body, @Nullable TBase<?, ?> result, @Nullable GalaxyTalosException error)
            throws IOException {
        try {
            EnvelopeHead call = Envelope.readHead(Wire.reader(ThriftEncoding.COMPACT, body, 0, body.length));
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            for (ByteBuffer part : Envelope.reply(ThriftEncoding.COMPACT, call, result, error)) {
                byte[] bytes = new byte[part.remaining()];
                part.get(bytes);
                out.write(bytes);
            }
            exchange.getResponseHeaders().set("Content-Type", ThriftEncoding.COMPACT.contentType());
            exchange.sendResponseHeaders(200, out.size());
            out.writeTo(exchange.getResponseBody());
        } catch (TException e) {
            throw new IOException(e);
        }
    }

    /** The recorded requests, oldest first. */
    public List<Asked> asked() {
        return List.copyOf(asked);
    }

    /** The server's address. */
    public URI uri() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
