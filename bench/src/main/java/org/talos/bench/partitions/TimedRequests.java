// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.partitions;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import org.talos.client.TalosEndpoint;

/** Requests as curl makes them, and how long each took. Thread-safe. */
final class TimedRequests {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final double MILLIS = 1e6;

    private final HttpClient http = HttpClient.newHttpClient();

    /** An answer, and how long it took. Immutable. */
    record Timed(HttpResponse<byte[]> answer, double millis) {
        int status() {
            return answer.statusCode();
        }

        int bytes() {
            return answer.body().length;
        }

        String text() {
            return new String(answer.body(), StandardCharsets.UTF_8);
        }

        /** Itself, if it says that all went well. */
        Timed good() throws IOException {
            if (status() / 100 != 2) {
                throw new IOException(answer.uri() + ": " + status() + " " + text());
            }
            return this;
        }
    }

    /** Asks without a key. */
    Timed get(URI what) throws IOException, InterruptedException {
        return timed(HttpRequest.newBuilder(what).timeout(PATIENCE).build());
    }

    Timed get(TalosEndpoint endpoint, String path) throws IOException, InterruptedException {
        return timed(request(endpoint, path).GET().build());
    }

    Timed put(TalosEndpoint endpoint, String path) throws IOException, InterruptedException {
        return timed(request(endpoint, path)
                .header("Content-Type", "application/octet-stream")
                .POST(BodyPublishers.ofString("a message"))
                .build());
    }

    private static HttpRequest.Builder request(TalosEndpoint endpoint, String path) {
        String pair = endpoint.accessKey() + ":" + endpoint.secretKey();
        String basic = Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8));
        return HttpRequest.newBuilder(endpoint.uri().resolve(path))
                .timeout(PATIENCE)
                .header("Authorization", "Basic " + basic);
    }

    private Timed timed(HttpRequest request) throws IOException, InterruptedException {
        long begun = System.nanoTime();
        HttpResponse<byte[]> answer = http.send(request, BodyHandlers.ofByteArray());
        return new Timed(answer, (System.nanoTime() - begun) / MILLIS);
    }
}
