// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.stream;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.talos.client.TalosEndpoint;

/** A client of a stream of JSON: the WebSocket of the JDK. Confined: the test, but for what the JDK calls. */
final class JsonStream implements WebSocket.Listener, AutoCloseable {
    private static final int SECONDS = 20;
    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static final ObjectMapper JSON = new ObjectMapper();

    private final BlockingQueue<String> received = new LinkedBlockingQueue<>();
    private final CompletableFuture<Integer> closed = new CompletableFuture<>();
    private final StringBuilder message = new StringBuilder();
    private final WebSocket socket;

    private JsonStream(TalosEndpoint endpoint, String pathAndQuery) {
        socket = HTTP.newWebSocketBuilder()
                .subprotocols(StreamUpgrade.JSON_SUBPROTOCOL)
                .header("Authorization", StreamClient.basic(endpoint))
                .buildAsync(StreamClient.uri(endpoint.uri(), pathAndQuery), this)
                .join();
    }

    static JsonStream open(TalosEndpoint endpoint, String pathAndQuery) {
        return new JsonStream(endpoint, pathAndQuery);
    }

    @Override
    public CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
        message.append(data);
        if (last) {
            received.add(message.toString());
            message.setLength(0);
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

    /** Sends a text, in which quotes may be single. */
    void send(String json) {
        sendAsItIs(json.replace('\'', '"'));
    }

    void sendAsItIs(String text) {
        socket.sendText(text, true).join();
    }

    void binary(byte[] bytes) {
        socket.sendBinary(ByteBuffer.wrap(bytes), true).join();
    }

    /** The next message, as it came. */
    String nextText() throws InterruptedException {
        String next = received.poll(SECONDS, TimeUnit.SECONDS);
        if (next == null) {
            throw new AssertionError("no further message; closed: " + closed);
        }
        return next;
    }

    JsonNode next() throws InterruptedException {
        return read(nextText());
    }

    private static JsonNode read(String text) {
        try {
            return JSON.readTree(text);
        } catch (JsonProcessingException e) {
            throw new AssertionError(text, e);
        }
    }

    /** The next message of that type; others are skipped. */
    JsonNode next(String type) throws InterruptedException {
        JsonNode next = next();
        while (!next.get("type").textValue().equals(type)) {
            next = next();
        }
        return next;
    }

    /** This number of messages, each as offset and text, granting what they cost. */
    List<String> messages(int count) throws InterruptedException {
        List<String> messages = new ArrayList<>();
        while (messages.size() < count) {
            String text = nextText();
            JsonNode each = read(text);
            if (each.get("type").textValue().equals("message")) {
                messages.add(each.get("offset") + " " + each.get("value").textValue());
                send("{'type':'credit','bytes':" + text.getBytes(UTF_8).length + "}");
            }
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

    /** Ends the connection without a word. */
    @Override
    public void close() {
        socket.abort();
    }
}
