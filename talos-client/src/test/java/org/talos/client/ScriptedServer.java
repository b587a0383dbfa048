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
import org.apache.thrift.TBase;
import org.apache.thrift.TException;
import org.jspecify.annotations.Nullable;
import org.talos.common.wire.Call;
import org.talos.common.wire.Envelope;
import org.talos.common.wire.ThriftEncoding;
import org.talos.common.wire.Wire;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.GalaxyTalosException;
import org.talos.thrift.GetDescribeInfoResponse;
import org.talos.thrift.GetScheduleInfoResponse;
import org.talos.thrift.TopicTalosResourceName;

/** A server that answers what a test has laid down, one after another, and keeps what it was asked. Thread-safe. */
public final class ScriptedServer implements AutoCloseable {
    private final HttpServer server;
    private final Deque<Answer> script = new ConcurrentLinkedDeque<>();
    private final Queue<Asked> asked = new ConcurrentLinkedQueue<>();
    private volatile GetScheduleInfoResponse schedule = new GetScheduleInfoResponse(Map.of());

    /** A request as it came. */
    @SuppressWarnings("ArrayRecordComponent") // equality is not asked of it
    public record Asked(String method, String uri, Map<String, List<String>> headers, byte[] body) {
        /** The value of a header. */
        public String header(String name) {
            return headers.entrySet().stream()
                    .filter(each -> each.getKey().equalsIgnoreCase(name))
                    .map(each -> each.getValue().get(0))
                    .findFirst()
                    .orElseThrow();
        }

        /** Reads the call's argument. */
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

    /** What is answered. */
    public interface Answer {
        /** Writes it. */
        void to(HttpExchange exchange, byte[] body) throws IOException;
    }

    /** Listens on a free port. */
    public ScriptedServer() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::handle);
        server.start();
    }

    private void handle(HttpExchange exchange) throws IOException {
        byte[] body = exchange.getRequestBody().readAllBytes();
        if (exchange.getRequestURI().toString().endsWith("type=getScheduleInfo")) {
            try (exchange) { // asked in the background: in no test's order
                result(schedule).to(exchange, body);
            }
            return;
        }
        asked.add(new Asked(
                exchange.getRequestMethod(),
                exchange.getRequestURI().toString(),
                new HashMap<>(exchange.getRequestHeaders()),
                body));
        Answer answer = Optional.ofNullable(script.poll())
                .orElse(status(500, Map.of(), "nothing is laid down for this request"));
        try (exchange) {
            answer.to(exchange, body);
        }
    }

    /** From here on this is the answer to who asks for routes. */
    public ScriptedServer schedule(GetScheduleInfoResponse answer) {
        schedule = answer;
        return this;
    }

    /** Answers next so. */
    public ScriptedServer then(Answer answer) {
        script.add(answer);
        return this;
    }

    /** Answers so before everything else that is laid down. */
    public ScriptedServer first(Answer answer) {
        script.addFirst(answer);
        return this;
    }

    /** A status with text and headers. */
    public static Answer status(int status, Map<String, String> headers, String text) {
        return (exchange, body) -> {
            headers.forEach((name, value) -> exchange.getResponseHeaders().set(name, value));
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(status, bytes.length);
            exchange.getResponseBody().write(bytes);
        };
    }

    /** A result of the call that was made. */
    public static Answer result(TBase<?, ?> result) {
        return (exchange, body) -> thrift(exchange, body, result, null);
    }

    /** What getDescribeInfo answers for the topic {@code orders}. */
    public static GetDescribeInfoResponse described(int partitions) {
        return new GetDescribeInfoResponse(new TopicTalosResourceName("me#orders#1"), partitions);
    }

    /** An answer of a call without a result. */
    public static Answer done() {
        return (exchange, body) -> thrift(exchange, body, null, null);
    }

    /** An error of the protocol. */
    public static Answer error(ErrorCode code, String message) {
        GalaxyTalosException error = new GalaxyTalosException();
        error.setErrorCode(code);
        error.setErrMsg(message);
        return (exchange, body) -> thrift(exchange, body, null, error);
    }

    private static void thrift(
            HttpExchange exchange, byte[] body, @Nullable TBase<?, ?> result, @Nullable GalaxyTalosException error)
            throws IOException {
        try {
            Call call = Envelope.readHead(Wire.reader(ThriftEncoding.COMPACT, body, 0, body.length));
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

    /** What it was asked, oldest first. */
    public List<Asked> asked() {
        return List.copyOf(asked);
    }

    /** Where it is. */
    public URI uri() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
