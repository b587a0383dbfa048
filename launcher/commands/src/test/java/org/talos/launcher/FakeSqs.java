// SPDX-License-Identifier: Apache-2.0
package org.talos.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * As much of SQS as a program needs that empties a queue: it gives messages until they are deleted, the first of them
 * once more after its deletion, as SQS may, and checks signatures of version 4. Every fifth message is broken.
 *
 * <p>Thread-safe.
 */
final class FakeSqs implements AutoCloseable {
    static final String KEY = "AKIDEXAMPLE";
    static final String SECRET = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
    private static final int AT_ONCE = 10;

    private final JsonMapper json = new JsonMapper();
    private final Map<Integer, String> messages = new TreeMap<>(); // guarded by itself
    private final HttpServer server;
    private boolean again = true; // guarded by messages

    FakeSqs(int count) throws IOException {
        for (int i = 1; i <= count; i++) {
            messages.put(i, (i % 5 == 0 ? "broken " : "job ") + i);
        }
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::answer);
        server.start();
    }

    String queue() {
        return "http://127.0.0.1:" + server.getAddress().getPort() + "/123456789012/jobs";
    }

    int left() {
        synchronized (messages) {
            return messages.size();
        }
    }

    private void answer(HttpExchange exchange) throws IOException {
        byte[] body = exchange.getRequestBody().readAllBytes();
        int status = isSigned(exchange, body) ? 200 : 403;
        byte[] answer = json.writeValueAsBytes(
                status == 200
                        ? answer(exchange.getRequestHeaders().getFirst("x-amz-target"), json.readTree(body))
                        : json.createObjectNode().put("__type", "InvalidSignatureException"));
        exchange.sendResponseHeaders(status, answer.length);
        exchange.getResponseBody().write(answer);
        exchange.close();
    }

    private ObjectNode answer(String target, JsonNode asked) {
        ObjectNode answer = json.createObjectNode();
        assertThat(asked.get("QueueUrl").asText()).isEqualTo(queue());
        synchronized (messages) {
            if (target.equals("AmazonSQS.ReceiveMessage")) {
                var given = answer.putArray("Messages");
                messages.entrySet().stream().limit(AT_ONCE).forEach(each -> {
                    ObjectNode message = given.addObject()
                            .put("MessageId", "id-" + each.getKey())
                            .put("ReceiptHandle", Integer.toString(each.getKey()))
                            .put("Body", each.getValue());
                    message.putObject("Attributes").put("SentTimestamp", "1700000000000");
                });
            } else {
                assertThat(target).isEqualTo("AmazonSQS.DeleteMessageBatch");
                for (JsonNode each : asked.get("Entries")) {
                    messages.remove(Integer.valueOf(each.get("ReceiptHandle").asText()));
                }
                if (again) {
                    again = false;
                    messages.put(1, "job 1");
                }
            }
        }
        return answer;
    }

    private static boolean isSigned(HttpExchange exchange, byte[] body) {
        String given = exchange.getRequestHeaders().getFirst("Authorization");
        String names = given.replaceAll(".*SignedHeaders=([^,]*),.*", "$1");
        String scope = given.replaceAll(".*Credential=" + KEY + "/([^,]*),.*", "$1");
        StringBuilder headers = new StringBuilder();
        for (String name : names.split(";", -1)) {
            headers.append(name)
                    .append(':')
                    .append(exchange.getRequestHeaders().getFirst(name))
                    .append('\n');
        }
        try {
            HexFormat hex = HexFormat.of();
            MessageDigest sha = MessageDigest.getInstance("SHA-256");
            String asked = String.join("\n", "POST", "/", "", headers, names, hex.formatHex(sha.digest(body)));
            String date = exchange.getRequestHeaders().getFirst("x-amz-date");
            String toSign = String.join(
                    "\n",
                    "AWS4-HMAC-SHA256",
                    date,
                    scope,
                    hex.formatHex(sha.digest(asked.getBytes(StandardCharsets.UTF_8))));
            byte[] key = ("AWS4" + SECRET).getBytes(StandardCharsets.UTF_8);
            for (String part : (scope + "/" + toSign).split("/", 5)) {
                Mac mac = Mac.getInstance("HmacSHA256");
                mac.init(new SecretKeySpec(key, "HmacSHA256"));
                key = mac.doFinal(part.getBytes(StandardCharsets.UTF_8));
            }
            return given.endsWith("Signature=" + hex.formatHex(key));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
