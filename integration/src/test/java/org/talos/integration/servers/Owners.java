// SPDX-License-Identifier: Apache-2.0
package org.talos.integration.servers;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.util.ArrayList;
import java.util.List;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryNTimes;
import org.talos.client.TopicDescription;

/**
 * A topic's node in ZooKeeper. Immutable.
 *
 * @param epoch higher with each change
 * @param servers whose each partition is; empty for nobody's
 */
record Owners(long epoch, List<String> servers) {
    private static final JsonMapper JSON = new JsonMapper();

    Owners {
        servers = List.copyOf(servers);
    }

    static Owners read(String zooKeeper, String root, TopicDescription topic) throws Exception {
        String name = topic.resourceName();
        try (CuratorFramework client = CuratorFrameworkFactory.newClient(zooKeeper, new RetryNTimes(50, 200))) {
            client.start();
            return decode(
                    client.getData().forPath(root + "/cluster/topics/" + name.substring(name.lastIndexOf('#') + 1)));
        }
    }

    private static Owners decode(byte[] data) throws Exception {
        JsonNode node = JSON.readTree(data);
        List<String> servers = new ArrayList<>();
        for (JsonNode place : node.get("owners")) {
            servers.add(
                    place.asInt() < 0
                            ? ""
                            : node.get("servers").get(place.asInt()).asText());
        }
        return new Owners(node.get("epoch").asLong(), servers);
    }

    /** The first partition that is this server's. */
    int partitionOf(String server) {
        int partition = servers.indexOf(server);
        if (partition < 0) {
            throw new IllegalStateException(server + " has no partition: " + servers);
        }
        return partition;
    }
}
