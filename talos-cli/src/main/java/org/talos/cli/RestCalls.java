// SPDX-License-Identifier: Apache-2.0
package org.talos.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.talos.client.FatalException;
import org.talos.client.RetriableException;
import org.talos.client.TalosClientException;
import org.talos.client.TalosEndpoint;
import org.talos.client.UnknownOutcomeException;
import org.talos.common.auth.Authorization;
import org.talos.common.auth.RequestDigest;
import org.talos.common.auth.RequestSignature;

/**
 * Makes the calls that servers offer only over REST. Requests are signed like those of the SDK, so the secret is not
 * sent. If a server cannot be reached, the next one is called.
 *
 * <p>Confined: the main thread.
 */
public final class RestCalls {
    private static final int FIRST_FAILURE = 300;
    private static final int FIRST_OF_SERVER = 500;
    private static final int CLOCK_TOO_SKEWED = 412;
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);
    private static final String CONNECTION = "CONNECTION";
    private static final String NOT_DONE = "did-not-happen";
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final List<TalosEndpoint> servers;
    private final HttpClient client = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(CONNECT_TIMEOUT)
            .build();

    /** Creates the calls to these servers, one or more. */
    public RestCalls(List<TalosEndpoint> servers) {
        this.servers = List.copyOf(servers);
    }

    /**
     * Posts a JSON object and returns the one that answers it.
     *
     * @param body without query, so that the signature covers the whole request
     * @param path segments of the path below {@code /v1}
     * @throws TalosClientException with the protocol's name of the error, if it has one
     */
    public JsonNode post(String body, String... path) throws TalosClientException {
        return send(new Call("POST", "", body, List.of(path)));
    }

    private JsonNode send(Call call) throws TalosClientException {
        TalosClientException unreached = new RetriableException(CONNECTION, CONNECTION + ": no server is named", null);
        for (TalosEndpoint server : servers) {
            try {
                return read(send(server, call), server.uri());
            } catch (IOException e) {
                unreached = unreached(server.uri(), e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new UnknownOutcomeException("INTERRUPTED", true, "INTERRUPTED: while a call was waited for", e);
            }
        }
        throw unreached;
    }

    /** Posts once, or twice if the server refused the first request because of the clock, like the SDK. */
    private HttpResponse<String> send(TalosEndpoint server, Call call) throws IOException, InterruptedException {
        Instant now = CommandTime.wallClock().instant();
        HttpResponse<String> answer = client.send(request(server, now, call), BodyHandlers.ofString());
        Optional<String> serverTime = answer.headers()
                .firstValue(RequestSignature.TIMESTAMP)
                .filter(text -> answer.statusCode() == CLOCK_TOO_SKEWED && text.matches("\\d{1,12}"));
        return serverTime.isEmpty()
                ? answer
                : client.send(
                        request(server, Instant.ofEpochSecond(Long.parseLong(serverTime.get())), call),
                        BodyHandlers.ofString());
    }

    /** Posts a request that changes nothing: a failure certainly had no effect. */
    public JsonNode preview(String body, String... path) throws TalosClientException {
        return withoutEffect(new Call("POST", "", body, List.of(path)));
    }

    /**
     * Gets a JSON object. A failure certainly had no effect.
     *
     * @param query names and values
     * @param path segments of the path below {@code /v1}
     */
    public JsonNode get(Map<String, String> query, String... path) throws TalosClientException {
        String text = query.entrySet().stream()
                .map(each -> encoded(each.getKey()) + "=" + encoded(each.getValue()))
                .collect(Collectors.joining("&"));
        return withoutEffect(new Call("GET", text, "", List.of(path)));
    }

    private JsonNode withoutEffect(Call call) throws TalosClientException {
        try {
            return send(call);
        } catch (UnknownOutcomeException e) {
            throw new RetriableException(e.code(), String.valueOf(e.getMessage()), e);
        }
    }

    /**
     * Returns the failure of a call that another server may answer.
     *
     * @throws UnknownOutcomeException this server may have got the call
     */
    private static TalosClientException unreached(URI server, IOException failure) throws UnknownOutcomeException {
        return switch (ConnectionFault.of(failure)) {
            case UNTRUSTED ->
                lasting(
                        "the certificate of " + server + " is not trusted: " + why(failure)
                                + " (expected: one that the JVM trusts)",
                        failure);
            case OTHER_SCHEME ->
                lasting(
                        "the server at " + server
                                + ("https".equals(server.getScheme())
                                        ? " does not speak TLS (expected: http)"
                                        : " speaks TLS (expected: https)"),
                        failure);
            case UNKNOWN_HOST -> lasting("the host of " + server + " is unknown", failure);
            case NO_SERVER -> passing("no server at " + server + ": " + why(failure), failure);
            case NO_HANDSHAKE -> passing("no answer from " + server + ": " + why(failure), failure);
            case UNKNOWN ->
                throw new UnknownOutcomeException(
                        CONNECTION, true, CONNECTION + ": no answer from " + server + ": " + why(failure), failure);
        };
    }

    private static FatalException lasting(String sentence, IOException failure) {
        return new FatalException(CONNECTION, CONNECTION + ": " + sentence, failure);
    }

    private static RetriableException passing(String sentence, IOException failure) {
        return new RetriableException(CONNECTION, CONNECTION + ": " + sentence, failure);
    }

    private static String why(IOException failure) {
        String message = failure.getMessage();
        return message == null ? failure.getClass().getSimpleName() : message;
    }

    /**
     * A call. Immutable.
     *
     * @param query as it is sent; empty for none
     * @param body empty for none
     * @param path segments below {@code /v1}
     */
    private record Call(String method, String query, String body, List<String> path) {}

    private static HttpRequest request(TalosEndpoint server, Instant now, Call call) {
        @Nullable String query = call.query.isEmpty() ? null : call.query;
        Map<String, String> headers = new HashMap<>();
        headers.put("Content-Type", "application/json");
        headers.put(RequestDigest.HEADER, RequestDigest.of(query, List.of()));
        headers.put(RequestSignature.CONTENT_MD5, RequestSignature.md5Hex(call.body.getBytes(StandardCharsets.UTF_8)));
        headers.put(RequestSignature.DATE, DateTimeFormatter.RFC_1123_DATE_TIME.format(now.atOffset(ZoneOffset.UTC)));
        headers.put(RequestSignature.TIMESTAMP, Long.toString(now.getEpochSecond()));
        Map<String, List<String>> signed = new HashMap<>();
        headers.forEach((name, value) -> signed.put(name, List.of(value)));
        String text = RequestSignature.stringToSign(call.method, "/v1/" + String.join("/", call.path), query, signed);
        String signature = RequestSignature.sign(server.secretKey(), text);
        headers.put(
                RequestSignature.AUTHORIZATION,
                new Authorization(Authorization.GALAXY_V3, server.accessKey(), signature).header());
        String path = call.path.stream().map(RestCalls::encoded).collect(Collectors.joining("/"));
        HttpRequest.Builder request = HttpRequest.newBuilder(
                        URI.create(server.uri() + "/v1/" + path + (query == null ? "" : "?" + query)))
                .timeout(server.timeout())
                .method(
                        call.method,
                        call.body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(call.body));
        headers.forEach(request::header);
        return request.build();
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    private static JsonNode read(HttpResponse<String> answer, URI server) throws TalosClientException {
        JsonNode document;
        try {
            document = JSON.readTree(answer.body());
        } catch (JsonProcessingException e) {
            throw failure(
                    answer.statusCode(),
                    "HTTP_" + answer.statusCode(),
                    "no JSON: another program, or a proxy, answers at " + server,
                    "");
        }
        if (answer.statusCode() < FIRST_FAILURE) {
            return document;
        }
        String code = document.path("code").asText("http-" + answer.statusCode());
        throw failure(
                answer.statusCode(),
                code.replace('-', '_').toUpperCase(Locale.ROOT),
                document.path("detail").asText("the server gives no reason"),
                document.path("outcome").asText(""));
    }

    private static TalosClientException failure(int status, String code, String sentence, String outcome) {
        String message = code + ": " + sentence;
        boolean isNotDone = outcome.isEmpty() ? status < FIRST_OF_SERVER : outcome.equals(NOT_DONE);
        if (!isNotDone) {
            return new UnknownOutcomeException(code, false, message, null);
        }
        return status < FIRST_OF_SERVER
                ? new FatalException(code, message, null)
                : new RetriableException(code, message, null);
    }
}
