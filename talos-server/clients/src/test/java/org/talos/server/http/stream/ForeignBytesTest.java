// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.stream;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.client.admin.NewTopic;
import org.talos.server.testing.TestServer;

/**
 * Clients over HTTP/2 that reset their streams while large answers are on their way, until the server ends the
 * connection for that; and beside them a victim that reads a message of its own. Every byte that such a client gets has
 * to be one of what it asked for.
 */
@Timeout(3_600) // a thousand connections of WebSockets take a third of it on a busy machine
class ForeignBytesTest {
    private static final Pattern BUILD = Pattern.compile("\"([0-9a-f]{24})/");
    private static final String SECRETS = "/v1/topics/secrets/partitions/0/messages";
    private static final int MESSAGE_BYTES = 800_000;
    private static final int STREAMS = 12;
    private static final int RESET_AFTER_BYTES = 48 << 10;
    private static final int PATIENCE = 400; // resets of one by one that a busy machine brings too slowly to be ended
    private static final int AT_ONCE = 200; // resets: the server stands 128 in a second
    private static final int THREADS = 3; // of the attackers, and of the victims
    private static final int FEW = 40; // connections: a tenth got foreign bytes when failed buffers were used again
    private static final int FEWER = 20; // Jetty copies the large frames of a WebSocket before HTTP/2 gets them
    private static final int MANY = 1_000;
    private static final byte[] REFUSAL = "The server has no memory for more requests of yours now.\n".getBytes(UTF_8);

    private static final HttpClient CLIENT =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    @TempDir
    private Path data;

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private TestServer server;

    @BeforeEach
    void start() throws Exception {
        server = TestServer.start(data, Map.of("HTTP_MAXREQUESTMEMORYBYTES", "256MiB")); // no read is refused
        server.admin().createTopic(NewTopic.of("secrets", 1));
        put(SECRETS, "secret ");
    }

    @AfterEach
    void close() {
        threads.shutdownNow();
        server.close();
    }

    private HttpRequest.Builder request(String path) throws Exception {
        return HttpRequest.newBuilder(URI.create(server.uri() + path))
                .timeout(Duration.ofSeconds(60))
                .header("Authorization", StreamClient.basic(server.endpoint()));
    }

    private static String message(String words) {
        return words.repeat(MESSAGE_BYTES / words.length());
    }

    private void put(String path, String words) throws Exception {
        HttpRequest put = request(path)
                .header("Content-Type", "application/octet-stream")
                .POST(BodyPublishers.ofString(message(words)))
                .build();
        assertThat(CLIENT.send(put, BodyHandlers.ofString()).statusCode()).isEqualTo(201);
    }

    private byte[] get(String path) throws Exception {
        return CLIENT.send(request(path).build(), BodyHandlers.ofByteArray()).body();
    }

    /** Opens a stream of HTTP/2 with something to read. */
    @FunctionalInterface
    private interface Opening {
        int open(RawHttp2 connection);
    }

    @Test
    void clientWithoutKeyGetsNothingButThePage() throws Exception {
        attackWithPages(FEW);
    }

    @Test
    @Tag("full") // long
    @Tag("servers")
    void manyClientsWithoutKeyGetNothingButThePage() throws Exception {
        attackWithPages(MANY);
    }

    private void attackWithPages(int connections) throws Exception {
        Matcher build = BUILD.matcher(new String(get("/docs/api/"), UTF_8));
        assertThat(build.find()).isTrue();
        String page = "/docs/api/" + build.group(1) + "/lib/swagger-ui/swagger-ui-bundle.js";

        attack(connections, connection -> connection.get(page), Stream::ofBytes, get(page));
    }

    @Test
    @Tag("full") // long
    @Tag("servers")
    void webSocketOverHttp2GetsNothingButItsTopic() throws Exception {
        attackWithWebSockets(FEWER);
    }

    @Test
    @Tag("full") // long
    @Tag("servers")
    void manyWebSocketsOverHttp2GetNothingButTheirTopic() throws Exception {
        attackWithWebSockets(MANY);
    }

    private void attackWithWebSockets(int connections) throws Exception {
        server.admin().createTopic(NewTopic.of("known", 1));
        put("/v1/topics/known/partitions/0/messages", "known ");
        String key = StreamClient.basic(server.endpoint());
        byte[] subscribe = Sent.subscribe(0, 0);
        byte[] frame = RawStream.framed(RawStream.BINARY, subscribe.length, subscribe);
        Opening opening = connection -> {
            int stream = connection.webSocket(
                    "/v1/topics/known/stream?window=16777216",
                    "authorization",
                    key,
                    "sec-websocket-version",
                    "13",
                    "sec-websocket-protocol",
                    StreamUpgrade.SUBPROTOCOL);
            connection.data(stream, frame);
            return stream;
        };

        attack(connections, opening, Stream::ofFrames, undisturbed(opening));
    }

    /** Returns the content of a WebSocket that is not reset, to the end of the message. */
    private byte[] undisturbed(Opening opening) throws Exception {
        ByteArrayOutputStream got = new ByteArrayOutputStream();
        Frames frames = new Frames();
        try (RawHttp2 connection = new RawHttp2(server.uri().getPort())) {
            int stream = opening.open(connection);
            connection.flush();
            while (got.size() < MESSAGE_BYTES) {
                RawHttp2.Frame frame = Objects.requireNonNull(connection.next());
                if (frame.type() == RawHttp2.DATA && frame.stream() == stream) {
                    got.write(frames.content(frame.payload()));
                }
            }
        }
        return got.toByteArray();
    }

    private void attack(int connections, Opening opening, Supplier<Stream> received, byte[] expected) throws Exception {
        AtomicInteger left = new AtomicInteger(connections);
        List<Future<Integer>> foreign = new ArrayList<>();
        List<Future<Integer>> wrong = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            foreign.add(threads.submit(() -> attackAll(left, opening, received, expected)));
            wrong.add(threads.submit(victim(left)));
        }

        for (Future<Integer> each : foreign) {
            assertThat(each.get()).as("frames with bytes of others").isZero();
        }
        for (Future<Integer> each : wrong) {
            assertThat(each.get())
                    .as("reads of the victim that were not its message")
                    .isZero();
        }
    }

    private Callable<Integer> victim(AtomicInteger left) {
        return () -> {
            String secret = message("secret ");
            int wrong = 0;
            while (left.get() > 0) {
                wrong += new String(get(SECRETS + "/0"), UTF_8).equals(secret) ? 0 : 1;
            }
            return wrong;
        };
    }

    private int attackAll(AtomicInteger left, Opening opening, Supplier<Stream> received, byte[] expected)
            throws Exception {
        int foreign = 0;
        while (left.getAndDecrement() > 0) {
            foreign += attackOnce(opening, received, expected);
        }
        return foreign;
    }

    /** Reads and resets until the server ends the connection; returns how many frames had foreign bytes. */
    private int attackOnce(Opening opening, Supplier<Stream> made, byte[] expected) throws Exception {
        int foreign = 0;
        int resets = 0;
        Map<Integer, Stream> received = new HashMap<>();
        try (RawHttp2 attacker = new RawHttp2(server.uri().getPort())) {
            for (int i = 0; i < STREAMS; i++) {
                opening.open(attacker);
            }
            attacker.flush();
            for (RawHttp2.Frame frame = attacker.next(); frame != null; frame = attacker.next()) {
                if (frame.type() != RawHttp2.DATA) {
                    continue;
                }
                Stream stream = received.computeIfAbsent(frame.stream(), unused -> made.get());
                boolean hadEnough = stream.hasEnough();
                foreign += stream.takes(frame.payload(), expected) ? 0 : 1;
                if (!hadEnough && stream.hasEnough()) {
                    attacker.reset(frame.stream());
                    opening.open(attacker);
                    resets++;
                    resetsAtOnce(attacker, opening, resets % PATIENCE == 0 ? AT_ONCE : 0);
                    attacker.flush();
                }
            }
        } catch (SocketTimeoutException e) {
            received.values().removeIf(Stream::hasEnough);
            throw new AssertionError("nothing came any more; bytes of the streams that got too few: " + received, e);
        }
        return foreign;
    }

    /** Adds streams that are reset as they begin, of which the server stands only so many in a second. */
    private static void resetsAtOnce(RawHttp2 attacker, Opening opening, int number) {
        for (int i = 0; i < number; i++) {
            attacker.reset(opening.open(attacker));
        }
    }

    /** Counts and checks what one stream of HTTP/2 has received. Confined: the attacker. */
    private static final class Stream {
        private final UnaryOperator<byte[]> contentOf;
        private int bytes;
        private int content;
        private boolean refused; // nothing more comes

        private Stream(UnaryOperator<byte[]> contentOf) {
            this.contentOf = contentOf;
        }

        static Stream ofBytes() {
            return new Stream(some -> some);
        }

        static Stream ofFrames() {
            return new Stream(new Frames()::content);
        }

        /** Returns whether the next bytes are the expected ones, or a refusal. */
        boolean takes(byte[] some, byte[] expected) {
            int before = bytes;
            bytes += some.length;
            if (isAt(before, some, REFUSAL)) {
                refused = true;
                return true;
            }
            byte[] more = contentOf.apply(some);
            content += more.length;
            return isAt(content - more.length, more, expected);
        }

        @Override
        public String toString() {
            return refused ? "refused" : Integer.toString(bytes);
        }

        /** Returns whether it is time to reset the stream. */
        boolean hasEnough() {
            return refused || bytes >= RESET_AFTER_BYTES;
        }
    }

    /**
     * The frames of a WebSocket. The server chooses their lengths, by the memory that there is for buffers, so only
     * their content is compared. Confined: one stream.
     */
    private static final class Frames {
        private static final int SHORT = 126;
        private static final int LONG = 127;

        private final ByteBuffer head = ByteBuffer.allocate(10);
        private long left; // of the content of the frame

        byte[] content(byte[] some) {
            ByteArrayOutputStream content = new ByteArrayOutputStream();
            int at = 0;
            while (at < some.length) {
                if (left == 0) {
                    head.put(some[at++]);
                    left = lengthIfWhole();
                } else {
                    int more = (int) Math.min(left, some.length - at);
                    content.write(some, at, more);
                    at += more;
                    left -= more;
                }
            }
            return content.toByteArray();
        }

        private long lengthIfWhole() {
            int code = head.position() < 2 ? 0 : head.get(1);
            int bytes = code == LONG ? 10 : code == SHORT ? 4 : 2;
            if (head.position() < bytes) {
                return 0;
            }
            head.clear();
            return code == LONG ? head.getLong(2) : code == SHORT ? Short.toUnsignedInt(head.getShort(2)) : code;
        }
    }

    private static boolean isAt(int begin, byte[] some, byte[] whole) {
        int end = begin + some.length;
        return end <= whole.length && Arrays.equals(some, 0, some.length, whole, begin, end);
    }
}
