// SPDX-License-Identifier: Apache-2.0
package org.talos.launcher.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.talos.cli.CommandException;
import org.talos.client.TalosEndpoint;

/**
 * The calls about a cluster's servers, over REST. Any server answers them, so the known servers are tried one after
 * another.
 *
 * <p>Confined: the main thread.
 */
public final class ClusterCalls {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int OK = 200;
    private static final int DONE = 204;
    private static final int NOT_FOUND = 404;
    private static final int FIRST_OF_SERVER = 500;
    private static final int UNAVAILABLE = 503;
    private static final String NOT_DONE = "did-not-happen";

    private final TalosEndpoint endpoint;
    private final HttpClient client = HttpClient.newHttpClient();
    private final Set<URI> servers = new LinkedHashSet<>();

    /** Creates the calls to the cluster of these servers, with the first one's key. */
    public ClusterCalls(List<TalosEndpoint> endpoints) {
        endpoint = endpoints.get(0);
        endpoints.forEach(each -> servers.add(each.uri()));
    }

    /**
     * Returns the servers, the leader, and the latest events.
     *
     * @throws IOException no server answers
     * @throws CommandException refused
     */
    public JsonNode status() throws IOException, CommandException, InterruptedException {
        JsonNode status = JSON.readTree(call("GET", "", "", OK));
        for (JsonNode each : status.get("servers")) {
            String address = each.get("address").textValue();
            if (!address.isEmpty()) {
                servers.add(URI.create(endpoint.uri().getScheme() + "://" + address));
            }
        }
        return status;
    }

    /**
     * Sends a request to the cluster, which is stored when this returns.
     *
     * @throws IOException no server could be reached or accepted the request: it certainly had no effect
     * @throws CommandException refused; with {@link CommandException#unknown}, it may have happened
     */
    public void wish(String method, String path, String body)
            throws IOException, CommandException, InterruptedException {
        call(method, path, body, DONE);
    }

    private String call(String method, String path, String body, int expected)
            throws IOException, CommandException, InterruptedException {
        IOException unreachable = new IOException("no server was asked");
        boolean wish = !method.equals("GET");
        boolean unknown = false;
        for (URI server : servers) {
            try {
                HttpResponse<String> answer = client.send(request(server, method, path, body), BodyHandlers.ofString());
                if (answer.statusCode() == expected) {
                    return answer.body();
                }
                JsonNode problem = problem(answer.body());
                unknown |= wish && !isSurelyNotDone(answer.statusCode(), problem);
                String failure = failure(
                        answer.statusCode(), server, problem.path("detail").asText(answer.body()));
                if (answer.statusCode() != UNAVAILABLE && !unknown) {
                    throw answer.statusCode() == NOT_FOUND
                            ? CommandException.notThere(failure)
                            : new CommandException(failure);
                }
                unreachable = new IOException(failure);
            } catch (ConnectException | HttpConnectTimeoutException e) {
                unreachable = e;
            } catch (IOException e) {
                unknown = wish; // sent, and not answered
                unreachable = e;
            }
        }
        if (unknown) {
            throw CommandException.unknown("no server confirms it: " + unreachable.getMessage(), unreachable);
        }
        throw unreachable;
    }

    private static String failure(int status, URI server, String detail) {
        return detail.contains("not one of several")
                ? "the server at " + server + " is a single server, not a cluster, or has not joined its cluster yet"
                : status + " of " + server + ": " + detail;
    }

    /** A proxy's answer does not say whether the server acted. */
    private static boolean isSurelyNotDone(int status, JsonNode problem) {
        return problem.path("outcome")
                .asText(status < FIRST_OF_SERVER ? NOT_DONE : "")
                .equals(NOT_DONE);
    }

    private static JsonNode problem(String body) throws IOException {
        return body.startsWith("{") ? JSON.readTree(body) : JSON.createObjectNode();
    }

    private HttpRequest request(URI server, String method, String path, String body) {
        String pair = endpoint.accessKey() + ":" + endpoint.secretKey();
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(server + "/v1/cluster" + path))
                .timeout(endpoint.timeout())
                .header(
                        "Authorization",
                        "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8)))
                .method(method, BodyPublishers.ofString(body));
        if (!body.isEmpty()) {
            request.header("Content-Type", "application/json");
        }
        return request.build();
    }
}
