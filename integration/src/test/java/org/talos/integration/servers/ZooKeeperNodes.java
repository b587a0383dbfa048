// SPDX-License-Identifier: Apache-2.0
package org.talos.integration.servers;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryNTimes;
import org.talos.client.admin.TopicDescription;

/** Nodes of servers in ZooKeeper, read and changed without the servers. Confined: the test. */
final class ZooKeeperNodes implements AutoCloseable {
    private static final JsonMapper JSON = new JsonMapper();

    private final CuratorFramework client;
    private final String cluster;

    ZooKeeperNodes(String zooKeeper, String cluster) {
        this.cluster = cluster;
        client = CuratorFrameworkFactory.newClient(zooKeeper, new RetryNTimes(50, 200));
        client.start();
    }

    Owners owners(TopicDescription topic) throws Exception {
        String name = topic.resourceName();
        return owners(name.substring(name.lastIndexOf('#') + 1));
    }

    private Owners owners(String topicId) throws Exception {
        JsonNode node = JSON.readTree(client.getData().forPath(cluster + "/topics/" + topicId));
        List<String> servers = new ArrayList<>();
        for (JsonNode place : node.get("owners")) {
            servers.add(
                    place.asInt() < 0
                            ? ""
                            : node.get("servers").get(place.asInt()).asText());
        }
        return new Owners(node.get("epoch").asLong(), servers);
    }

    /** Of all topics, by their ids. */
    Map<String, Owners> owners() throws Exception {
        Map<String, Owners> all = new TreeMap<>();
        for (String topicId : client.getChildren().forPath(cluster + "/topics")) {
            all.put(topicId, owners(topicId));
        }
        return all;
    }

    /** The others believe that the server is gone; it learns of that with the next event. */
    void remove(String server) throws Exception {
        client.delete().forPath(cluster + "/servers/" + server);
    }

    @Override
    public void close() {
        client.close();
    }
}
