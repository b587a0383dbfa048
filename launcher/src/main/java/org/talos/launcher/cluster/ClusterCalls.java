// SPDX-License-Identifier: Apache-2.0
package org.talos.launcher.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
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
 * The calls about a cluster's servers, over REST: any of them answers, so those that have been heard of are asked one
 * after another.
 *
 * <p>Confined: the main thread.
 */
public final class ClusterCalls {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int OK = 200;
    private static final int DONE = 204;
    private static final int UNAVAILABLE = 503;

    private final TalosEndpoint endpoint;
    private final HttpClient client = HttpClient.newHttpClient();
    private final Set<URI> servers = new LinkedHashSet<>();

    /** Of the cluster of these servers, with the first one's key. */
    public ClusterCalls(List<TalosEndpoint> endpoints) {
        endpoint = endpoints.get(0);
        endpoints.forEach(each -> servers.add(each.uri()));
    }

    /** Servers, leader, and what happened last. */
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

    /** Has something done; it is kept when this returns. */
    public void wish(String method, String path, String body)
            throws IOException, CommandException, InterruptedException {
        call(method, path, body, DONE);
    }

    private String call(String method, String path, String body, int expected)
            throws IOException, CommandException, InterruptedException {
        IOException unreachable = new IOException("no server was asked");
        for (URI server : servers) {
            try {
                HttpResponse<String> answer = client.send(request(server, method, path, body), BodyHandlers.ofString());
                if (answer.statusCode() == expected) {
                    return answer.body();
                }
                String failure = answer.statusCode() + " of " + server + ": " + detail(answer.body());
                if (answer.statusCode() != UNAVAILABLE) {
                    throw new CommandException(failure);
                }
                unreachable = new IOException(failure);
            } catch (IOException e) {
                unreachable = e;
            }
        }
        throw unreachable;
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

    private static String detail(String problem) throws IOException {
        JsonNode detail = problem.startsWith("{") ? JSON.readTree(problem).get("detail") : null;
        return detail == null ? problem : detail.asText();
    }
}
