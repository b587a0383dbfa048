// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.resource;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.talos.server.http.rest.RestAnswer;
import org.talos.server.http.rest.RestRequest;
import org.talos.server.http.rest.Route;
import org.talos.server.http.rest.json.Json;
import org.talos.server.http.rest.json.JsonObject;
import org.talos.server.http.rest.records.ClusterRecords.Cluster;
import org.talos.server.http.rest.records.ClusterRecords.Move;
import org.talos.server.service.admin.ClusterDescription;
import org.talos.server.service.call.PartitionName;

/**
 * The servers of a cluster, for administrators. A command is stored when it is answered; the leader carries it out.
 * Thread-safe.
 */
final class ClusterResources {
    private static final String CLUSTER = "/v1/cluster";
    private static final String DRAIN = CLUSTER + "/servers/{server}/drain";

    List<Route> routes() {
        return List.of(
                Route.of("GET", CLUSTER, Route.Body.NONE, this::show)
                        .named("showCluster", "Servers, leader, and what happened last; for administrators")
                        .answers(200, "As it is now.", Cluster.class)
                        .fails(404, 422),
                Route.of("POST", CLUSTER + "/moves", Route.Body.SMALL, this::move)
                        .named("movePartition", "Give a partition to a server; for administrators")
                        .takes(Move.class)
                        .answers(204, "It is kept; the leader does it.")
                        .fails(404, 422),
                Route.of("POST", CLUSTER + "/rebalance", Route.Body.NONE, this::rebalance)
                        .named("rebalance", "Level the load of all servers, by measured traffic; for administrators")
                        .answers(204, "It is kept; the leader does it.")
                        .fails(404, 422),
                Route.of("PUT", DRAIN, Route.Body.NONE, request -> drain(request, true))
                        .named("drain", "Take all partitions from a server, and give it none; for administrators")
                        .answers(204, "It is kept; the leader does it.")
                        .fails(422),
                Route.of("DELETE", DRAIN, Route.Body.NONE, request -> drain(request, false))
                        .named("resume", "Let a server have partitions again; for administrators")
                        .answers(204, "It is kept; the leader does it.")
                        .fails(422));
    }

    private CompletionStage<RestAnswer> show(RestRequest request) {
        return request.operations()
                .admin()
                .cluster()
                .status(request.context())
                .thenApply(status -> RestAnswer.json(200, json(status)));
    }

    private static ObjectNode json(ClusterDescription status) {
        ObjectNode json = JsonNodeFactory.instance
                .objectNode()
                .put("leader", status.leader())
                .put("withoutServer", status.withoutServer());
        ArrayNode servers = json.putArray("servers");
        for (ClusterDescription.Server each : status.servers()) {
            ObjectNode server = servers.addObject()
                    .put("server", each.id())
                    .put("state", each.state())
                    .put("address", each.address())
                    .put("partitions", each.partitions());
            each.health().ifPresent(health -> put(health, server));
        }
        ArrayNode events = json.putArray("events");
        status.events()
                .forEach(event -> events.addObject()
                        .put("at", Instant.ofEpochMilli(event.atMillis()).toString())
                        .put("text", event.text()));
        ArrayNode workers = json.putArray("workers");
        status.workers()
                .forEach(pool -> workers.addObject()
                        .put("pool", pool.pool())
                        .put("workers", pool.workers())
                        .put("auto", pool.auto()));
        return json;
    }

    private static void put(ClusterDescription.Health health, ObjectNode server) {
        server.put("ready", health.failing().isEmpty()).put("opening", health.opening());
        ArrayNode failing = server.putArray("failing");
        health.failing()
                .forEach((check, why) -> failing.addObject().put("name", check).put("reason", why));
    }

    private CompletionStage<RestAnswer> move(RestRequest request) {
        JsonObject body = Json.readObject(request.body());
        PartitionName partition = new PartitionName(
                body.requiredText("topic"), (int) body.requiredNumber("partition", 0, Integer.MAX_VALUE));
        String server = body.requiredText("server");
        body.end();
        return request.operations()
                .admin()
                .cluster()
                .move(request.context(), partition, server)
                .thenApply(kept -> RestAnswer.noContent());
    }

    private CompletionStage<RestAnswer> rebalance(RestRequest request) {
        return request.operations()
                .admin()
                .cluster()
                .rebalance(request.context())
                .thenApply(kept -> RestAnswer.noContent());
    }

    private CompletionStage<RestAnswer> drain(RestRequest request, boolean drained) {
        return request.operations()
                .admin()
                .cluster()
                .drain(request.context(), request.variable(0), drained)
                .thenApply(kept -> RestAnswer.noContent());
    }
}
