// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.stream;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.talos.client.TalosEndpoint;

/** A stream's client: the WebSocket of the JDK. Confined: the test, but for what the JDK calls. */
final class StreamClient implements WebSocket.Listener, AutoCloseable {
    private static final int SECONDS = 20;
    private static final HttpClient HTTP = HttpClient.newHttpClient(); // one: each has threads of its own

    private final BlockingQueue<Received> received = new LinkedBlockingQueue<>();
    private final CompletableFuture<Integer> closed = new CompletableFuture<>();
    private final ByteArrayOutputStream message = new ByteArrayOutputStream();
    private final boolean reads;
    private final WebSocket socket;

    private StreamClient(URI uri, String authorization, String subprotocol, boolean reads) {
        this.reads = reads;
        WebSocket.Builder builder = HTTP.newWebSocketBuilder().subprotocols(subprotocol);
        if (!authorization.isEmpty()) {
            builder.header("Authorization", authorization);
        }
        socket = builder.buildAsync(uri, this).join();
    }

    static StreamClient open(TalosEndpoint endpoint, String pathAndQuery) {
        return new StreamClient(uri(endpoint.uri(), pathAndQuery), basic(endpoint), StreamUpgrade.SUBPROTOCOL, true);
    }

    /** One that reads nothing of what the server sends. */
    static StreamClient deaf(TalosEndpoint endpoint, String pathAndQuery) {
        return new StreamClient(uri(endpoint.uri(), pathAndQuery), basic(endpoint), StreamUpgrade.SUBPROTOCOL, false);
    }

    static URI uri(URI server, String pathAndQuery) {
        return URI.create("ws" + server.toString().substring("http".length()) + pathAndQuery);
    }

    static String basic(TalosEndpoint endpoint) {
        String pair = endpoint.accessKey() + ":" + endpoint.secretKey();
        return "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(UTF_8));
    }

    @Override
    public void onOpen(WebSocket opened) {
        if (reads) {
            opened.request(1);
        }
    }

    @Override
    public CompletionStage<?> onBinary(WebSocket from, ByteBuffer data, boolean last) {
        byte[] piece = new byte[data.remaining()];
        data.get(piece);
        message.writeBytes(piece);
        if (last) {
            received.add(new Received(message.toByteArray()));
            message.reset();
        }
        from.request(1);
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletionStage<?> onClose(WebSocket from, int status, String reason) {
        closed.complete(status);
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public void onError(WebSocket from, Throwable error) {
        closed.completeExceptionally(error);
    }

    void send(byte[] bytes) {
        socket.sendBinary(ByteBuffer.wrap(bytes), true).join();
    }

    /** Sends without waiting for room. */
    CompletableFuture<WebSocket> sendLater(byte[] bytes) {
        return socket.sendBinary(ByteBuffer.wrap(bytes), true);
    }

    void sendInPieces(byte[] bytes, int size) {
        for (int at = 0; at < bytes.length; at += size) {
            int end = Math.min(bytes.length, at + size);
            socket.sendBinary(ByteBuffer.wrap(bytes, at, end - at), end == bytes.length)
                    .join();
        }
    }

    void text(String text) {
        socket.sendText(text, true).join();
    }

    void ping() {
        socket.sendPing(ByteBuffer.allocate(0)).join();
    }

    /** The next message. */
    Received next() throws InterruptedException {
        Received next = received.poll(SECONDS, TimeUnit.SECONDS);
        if (next == null) {
            throw new AssertionError("no further message; closed: " + closed);
        }
        return next;
    }

    /** The next message; null if none comes within the time. */
    @Nullable
    Received poll(long millis) throws InterruptedException {
        return received.poll(millis, TimeUnit.MILLISECONDS);
    }

    /** Returns whether it has ended, however that came. */
    boolean isClosed() {
        return closed.isDone();
    }

    /** The next message of that name; others are skipped. */
    Received next(String name) throws InterruptedException {
        return next(each -> each.name().equals(name));
    }

    Received next(Predicate<Received> wanted) throws InterruptedException {
        Received next = next();
        while (!wanted.test(next)) {
            next = next();
        }
        return next;
    }

    /** The places of so many puts that are stored, in the order in which the server has said so. */
    List<Received.Place> stored(int count) throws InterruptedException {
        List<Received.Place> places = new ArrayList<>();
        while (places.size() < count) {
            places.addAll(next("STORED").places());
        }
        return places;
    }

    /** This number of messages of blocks, granting what they cost. */
    List<String> messages(int count) throws InterruptedException {
        List<String> messages = new ArrayList<>();
        while (messages.size() < count) {
            Received block = next("BLOCK");
            messages.addAll(block.messages());
            send(Sent.credit(block.bytes().length));
        }
        return messages;
    }

    /** Returns whether nothing more has come. */
    boolean hasNothing() {
        return received.isEmpty();
    }

    /** The code with which the server has closed it. */
    int closeCode() throws Exception {
        return closed.get(SECONDS, TimeUnit.SECONDS);
    }

    void closeNormally() {
        socket.sendClose(WebSocket.NORMAL_CLOSURE, "").join();
    }

    /** Ends the connection without a word. */
    @Override
    public void close() {
        socket.abort();
    }
}
