// SPDX-License-Identifier: Apache-2.0
package org.talos.check.workload;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.talos.check.history.Outcome;
import org.talos.client.TalosEndpoint;

/**
 * Sends REST requests, each once: to the server that answered last, or to the next one after a failure.
 *
 * <p>Confined: one process.
 */
final class RestCalls {
    private static final Duration TIMEOUT = Duration.ofSeconds(12);
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(2);
    private static final int FIRST_FAILURE = 300;
    private static final int FIRST_SERVER_FAILURE = 500;

    private static final ObjectMapper JSON = new ObjectMapper();

    /** A server's answer. Immutable. */
    record Reply(Outcome outcome, JsonNode body, String note) {
        boolean isOk() {
            return outcome == Outcome.OK;
        }
    }

    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(CONNECT_TIMEOUT)
            .build();
    private final List<URI> servers;
    private final String authorization;
    private int server;

    /** @param first the server to begin with */
    RestCalls(List<TalosEndpoint> endpoints, int first) {
        servers = endpoints.stream().map(TalosEndpoint::uri).toList();
        TalosEndpoint any = endpoints.get(0);
        authorization = "Basic "
                + Base64.getEncoder()
                        .encodeToString((any.accessKey() + ":" + any.secretKey()).getBytes(StandardCharsets.UTF_8));
        server = first % servers.size();
    }

    Reply get(String path) {
        return call("GET", path, "", Map.of());
    }

    Reply delete(String path) {
        return call("DELETE", path, "", Map.of());
    }

    Reply post(String path, JsonNode body, Map<String, String> headers) {
        return call("POST", path, body.toString(), headers);
    }

    private Reply call(String method, String path, String body, Map<String, String> headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(servers.get(server).resolve("/v1" + path))
                .timeout(TIMEOUT)
                .header("Authorization", authorization)
                .method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
        if (!body.isEmpty()) {
            request.header("Content-Type", "application/json");
        }
        headers.forEach(request::header);
        try {
            return reply(http.send(request.build(), BodyHandlers.ofString()));
        } catch (ConnectException e) {
            next();
            return new Reply(Outcome.FAIL, MissingNode.getInstance(), "CONNECTION"); // it was never sent
        } catch (IOException e) {
            next();
            return new Reply(
                    Outcome.INFO, MissingNode.getInstance(), e.getClass().getSimpleName());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Reply(Outcome.INFO, MissingNode.getInstance(), "interrupted");
        }
    }

    private void next() {
        server = (server + 1) % servers.size();
    }

    private Reply reply(HttpResponse<String> response) {
        JsonNode body = read(response.body());
        if (response.statusCode() < FIRST_FAILURE) {
            return new Reply(Outcome.OK, body, "");
        }
        if (response.statusCode() >= FIRST_SERVER_FAILURE) {
            next();
        }
        return new Reply(
                outcome(body),
                body,
                response.statusCode() + " " + body.path("code").asText());
    }

    /** The outcome that a problem document names; unknown if it names none. */
    private static Outcome outcome(JsonNode problem) {
        return switch (problem.path("outcome").asText()) {
            case "did-not-happen" -> Outcome.FAIL;
            case "happened" -> Outcome.OK;
            default -> Outcome.INFO;
        };
    }

    private static JsonNode read(String body) {
        try {
            return body.isEmpty() ? MissingNode.getInstance() : JSON.readTree(body);
        } catch (JsonProcessingException e) {
            return MissingNode.getInstance(); // then nothing is known
        }
    }
}
