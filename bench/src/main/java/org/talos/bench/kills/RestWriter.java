// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.kills;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.talos.client.TalosEndpoint;

/**
 * Puts one message after another to its partition over REST, each with an idempotency key, and again until it is
 * acknowledged.
 *
 * <p>Confined: its thread.
 */
final class RestWriter {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final Duration LONGEST = Duration.ofMinutes(3);
    private static final int PAUSE_MILLIS = 20;
    private static final int CREATED = 201;
    private static final int FIRST_CLIENT_ERROR = 400;
    private static final int TOO_MANY = 429;
    private static final int FIRST_SERVER_ERROR = 500;
    private static final Pattern OFFSET = Pattern.compile("\"offset\":(\\d+)");

    private final HttpClient http;
    private final URI messages;
    private final String authorization;
    private final WriterMessages texts;
    private final Ledger ledger;

    RestWriter(HttpClient http, TalosEndpoint endpoint, String topic, WriterMessages texts, Ledger ledger) {
        this.http = http;
        messages = endpoint.uri().resolve("/v1/topics/" + topic + "/partitions/");
        String pair = endpoint.accessKey() + ":" + endpoint.secretKey();
        authorization = "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8));
        this.texts = texts;
        this.ledger = ledger;
    }

    /** Puts until it is asked to end; the last put is acknowledged then. Returns the number of puts. */
    long run(int writer, int partition, BooleanSupplier ending) throws IOException, InterruptedException {
        long number = 0;
        for (; !ending.getAsBoolean(); number++) {
            ledger.acknowledged(writer, number, partition, put(writer, number, partition));
        }
        return number;
    }

    private long put(int writer, long number, int partition) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(messages.resolve(partition + "/messages"))
                .timeout(TIMEOUT)
                .header("Authorization", authorization)
                .header("Content-Type", "application/octet-stream")
                .header("Idempotency-Key", writer + "-" + number)
                .POST(HttpRequest.BodyPublishers.ofByteArray(texts.of(writer, number)))
                .build();
        for (long begun = System.nanoTime(); System.nanoTime() - begun < LONGEST.toNanos(); ) {
            HttpResponse<String> answer;
            try {
                answer = http.send(request, HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
            } catch (IOException e) {
                Thread.sleep(PAUSE_MILLIS); // the server is being killed or started
                continue;
            }
            if (answer.statusCode() == CREATED) {
                return offset(answer.body());
            }
            refuseFinal(answer);
            Thread.sleep(PAUSE_MILLIS);
        }
        throw new IOException(
                "no put to partition " + partition + " was acknowledged for " + LONGEST.toMinutes() + " min");
    }

    private static void refuseFinal(HttpResponse<String> answer) throws IOException {
        int status = answer.statusCode();
        if (status >= FIRST_CLIENT_ERROR && status < FIRST_SERVER_ERROR && status != TOO_MANY) {
            throw new IOException("a put was answered " + status + ": " + answer.body());
        }
    }

    private static long offset(String body) throws IOException {
        Matcher offset = OFFSET.matcher(body);
        if (!offset.find()) {
            throw new IOException("an acknowledgement without an offset: " + body);
        }
        return Long.parseLong(offset.group(1));
    }
}
