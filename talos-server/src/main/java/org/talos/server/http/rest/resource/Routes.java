// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.resource;

import java.util.ArrayList;
import java.util.List;
import org.talos.server.http.rest.Route;
import org.talos.server.http.rest.admin.OverviewResources;
import org.talos.server.http.rest.admin.PartitionResources;
import org.talos.server.http.rest.admin.UserResources;
import org.talos.server.http.rest.message.BlockMessages;
import org.talos.server.http.rest.search.SearchResources;
import org.talos.server.http.stream.StreamResource;

/** The table of all routes. Immutable. */
public final class Routes {
    private Routes() {}

    public static List<Route> all() {
        BlockMessages blocks = new BlockMessages();
        List<Route> routes = new ArrayList<>();
        routes.addAll(new ListResources().routes());
        routes.addAll(new TopicResources().routes());
        routes.addAll(new PutResources().routes());
        routes.addAll(new GetResources(blocks).routes());
        routes.addAll(new EventResources(blocks).routes());
        routes.addAll(StreamResource.routes(blocks));
        routes.addAll(new OffsetResources().routes());
        routes.addAll(new DeletionResources().routes());
        routes.addAll(new PermissionResources().routes());
        routes.addAll(new QuotaResources().routes());
        routes.addAll(new GroupResources().routes());
        routes.addAll(new MemberResources(blocks).routes());
        routes.addAll(new ClusterResources().routes());
        routes.addAll(new SessionResources().routes());
        routes.addAll(new OverviewResources().routes());
        routes.addAll(new UserResources().routes());
        routes.addAll(new PartitionResources().routes());
        routes.addAll(new SearchResources(blocks, Times::parse).routes());
        routes.add(new OpenApiResource(routes).route());
        return routes;
    }
}
