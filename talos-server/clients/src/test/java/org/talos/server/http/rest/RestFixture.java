// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import org.talos.client.TalosEndpoint;
import org.talos.server.testing.TestServer;

/** A server and a client of its REST side that has key and secret. Confined: the test. */
final class RestFixture implements AutoCloseable {
    static final ObjectMapper JSON = new ObjectMapper();

    final TestServer server;
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final String admin;
    private String authorization;

    RestFixture(Path data) throws Exception {
        this(data, Map.of());
    }

    RestFixture(Path data, Map<String, String> settings) throws Exception {
        this(data, TestServer.start(data, settings));
    }

    /** A client of a server that was started on that directory. */
    RestFixture(Path data, TestServer started) throws Exception {
        server = started;
        TalosEndpoint endpoint = server.endpoint();
        admin = basic(endpoint.accessKey(), endpoint.secretKey());
        authorization = admin;
    }

    static String basic(String key, String secret) {
        return "Basic " + Base64.getEncoder().encodeToString((key + ":" + secret).getBytes(StandardCharsets.UTF_8));
    }

    /** Sends further requests with other credentials. */
    void as(String header) {
        authorization = header;
    }

    /** The credentials that requests have now. */
    String authorization() {
        return authorization;
    }

    /** Sends further requests with the administrator's credentials. */
    void asAdmin() {
        authorization = admin;
    }

    /** An answer. Immutable. */
    record Answer(HttpResponse<byte[]> response) {
        int status() {
            return response.statusCode();
        }

        String text() {
            return new String(response.body(), StandardCharsets.UTF_8);
        }

        JsonNode json() throws Exception {
            return JSON.readTree(response.body());
        }

        String header(String name) {
            return response.headers().firstValue(name).orElse("");
        }
    }

    HttpRequest.Builder request(String path) {
        HttpRequest.Builder builder =
                HttpRequest.newBuilder(server.uri().resolve(URI.create(path))).timeout(Duration.ofSeconds(20));
        return authorization.isEmpty() ? builder : builder.header("Authorization", authorization);
    }

    /** Every answer must be one that the description knows, with the fields that it says. */
    Answer send(HttpRequest request) throws Exception {
        Answer answer = new Answer(client.send(request, BodyHandlers.ofByteArray()));
        String path = request.uri().getPath();
        assertThat(Description.describes(request.method(), path, answer.status()))
                .as("%s %s answered %d, which is not described", request.method(), request.uri(), answer.status())
                .isTrue();
        JsonNode schema = Description.schema(request.method(), path, answer.status());
        if (!schema.isMissingNode()
                && !isForAValue(request)
                && answer.header("Content-Type").equals("application/json")) {
            requireFields(schema, answer);
        }
        return answer;
    }

    /** Returns whether a request asks for the value of a message, which may be JSON of any form. */
    private static boolean isForAValue(HttpRequest request) {
        return request.uri().getPath().matches(".*/messages/[0-9]+")
                && !request.headers().firstValue("Accept").orElse("").contains("application/json");
    }

    private static void requireFields(JsonNode schema, Answer answer) throws Exception {
        JsonNode json;
        try {
            json = answer.json();
        } catch (StreamConstraintsException e) { // a message deeper or longer than this reader takes
            return;
        }
        assertThat(AnswerCheck.wrong(schema, json))
                .as("answer to %s beside its description", answer.response().request())
                .isEmpty();
    }

    Answer get(String path, String... headers) throws Exception {
        HttpRequest.Builder builder = request(path).GET();
        return send((headers.length == 0 ? builder : builder.headers(headers)).build());
    }

    Answer send(String method, String path, String json) throws Exception {
        return send(request(path)
                .header("Content-Type", "application/json")
                .method(method, BodyPublishers.ofString(json))
                .build());
    }

    Answer post(String path, BodyPublisher body, String... headers) throws Exception {
        HttpRequest.Builder builder = request(path).POST(body);
        return send((headers.length == 0 ? builder : builder.headers(headers)).build());
    }

    /** JSON that is written with single quotes. */
    static String json(String text) {
        return text.replace('\'', '"');
    }

    void createTopic(String name, int partitions) throws Exception {
        Answer made = send("POST", "/v1/topics", json("{'name':'" + name + "','partitions':" + partitions + "}"));
        if (made.status() != 201) {
            throw new IllegalStateException(made.text());
        }
    }

    @Override
    public void close() {
        server.close();
    }
}
