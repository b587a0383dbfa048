// SPDX-License-Identifier: Apache-2.0
package org.talos.integration.faults;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.talos.devcluster.Daemon;
import org.talos.devcluster.DevCluster;
import org.talos.devcluster.FaultProxy;

/** A way to HDFS that can be cut for one server alone. Confined: the test. */
record Proxies(Path clientConfig, FaultProxy nameNode, Map<Daemon, List<FaultProxy>> dataNodes)
        implements AutoCloseable {
    static Proxies before(DevCluster cluster, Path directory) throws IOException {
        Map<Daemon, List<FaultProxy>> dataNodes = new EnumMap<>(Daemon.class);
        for (Daemon dataNode : Daemon.dataNodes()) {
            InetSocketAddress proxied = cluster.proxyAddress(dataNode);
            InetSocketAddress direct = cluster.address(dataNode);
            int calls = callsPort(cluster, direct.getPort());
            dataNodes.put(
                    dataNode,
                    List.of(
                            FaultProxy.between(proxied, direct),
                            FaultProxy.between(
                                    new InetSocketAddress(proxied.getAddress(), calls),
                                    new InetSocketAddress(direct.getAddress(), calls))));
        }
        FaultProxy nameNode = FaultProxy.before(cluster.address(Daemon.NAMENODE));
        Path clientConfig = directory.resolve("proxied");
        cluster.writeProxiedConfig(clientConfig, nameNode.address(), cluster.address(Daemon.ZOOKEEPER));
        return new Proxies(clientConfig, nameNode, Map.copyOf(dataNodes));
    }

    /** A client asks a DataNode at this other port how long a file is that is being written. */
    private static int callsPort(DevCluster cluster, int dataPort) throws IOException {
        try (FileSystem files = FileSystem.newInstance(cluster.hdfs(), new Configuration())) {
            for (DatanodeInfo each : ((DistributedFileSystem) files).getDataNodeStats()) {
                if (each.getXferPort() == dataPort) {
                    return each.getIpcPort();
                }
            }
        }
        throw new IOException("the NameNode knows no DataNode at port " + dataPort);
    }

    /** Neither way a byte passes between the server and the DataNode, and nobody is notified. */
    void stall(Daemon dataNode) {
        of(dataNode).forEach(FaultProxy::stall);
    }

    /** All connections to the DataNode end, and new ones are refused. */
    void refuse(Daemon dataNode) throws IOException {
        for (FaultProxy each : of(dataNode)) {
            each.refuse();
            each.cut();
        }
    }

    /** All as in the beginning. */
    void repair(Daemon dataNode) throws IOException {
        for (FaultProxy each : of(dataNode)) {
            each.repair();
        }
    }

    private List<FaultProxy> of(Daemon dataNode) {
        return dataNodes.getOrDefault(dataNode, List.of());
    }

    @Override
    public void close() throws IOException {
        List<FaultProxy> all = new ArrayList<>(List.of(nameNode));
        dataNodes.values().forEach(all::addAll);
        for (FaultProxy each : all) {
            each.close();
        }
    }
}
