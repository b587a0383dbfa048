// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.resource;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.talos.server.http.rest.RestAnswer;
import org.talos.server.http.rest.RestRequest;
import org.talos.server.http.rest.Route;
import org.talos.server.http.rest.json.Json;
import org.talos.server.http.rest.json.JsonObject;
import org.talos.server.http.rest.records.ClusterRecords.Cluster;
import org.talos.server.http.rest.records.ClusterRecords.Event;
import org.talos.server.http.rest.records.ClusterRecords.FailingCheck;
import org.talos.server.http.rest.records.ClusterRecords.Health;
import org.talos.server.http.rest.records.ClusterRecords.Move;
import org.talos.server.http.rest.records.ClusterRecords.Server;
import org.talos.server.http.rest.records.ClusterRecords.Workers;
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
                .thenApply(status -> RestAnswer.json(200, shown(status)));
    }

    private static Cluster shown(ClusterDescription status) {
        return new Cluster(
                status.leader(),
                status.withoutServer(),
                status.servers().stream().map(ClusterResources::shown).toList(),
                status.events().stream()
                        .map(each -> new Event(Instant.ofEpochMilli(each.atMillis()), each.text()))
                        .toList(),
                status.workers().stream()
                        .map(each -> new Workers(each.pool(), each.workers(), each.auto()))
                        .toList());
    }

    private static Server shown(ClusterDescription.Server server) {
        return new Server(
                server.id(),
                server.state(),
                server.address(),
                server.partitions(),
                server.health().map(ClusterResources::shown));
    }

    private static Health shown(ClusterDescription.Health health) {
        List<FailingCheck> failing = new ArrayList<>();
        health.failing().forEach((check, why) -> failing.add(new FailingCheck(check, why)));
        return new Health(failing.isEmpty(), health.opening(), failing);
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
