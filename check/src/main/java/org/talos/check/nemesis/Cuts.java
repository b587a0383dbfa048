// SPDX-License-Identifier: Apache-2.0
package org.talos.check.nemesis;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.talos.devcluster.Daemon;
import org.talos.devcluster.DevCluster;
import org.talos.devcluster.FaultProxy;

/**
 * The proxies between servers and daemons: each server has its own to the NameNode and to each server of ZooKeeper; all
 * share one to a DataNode, whose address they get from the NameNode; all other servers share one to a server, whose
 * address it registers itself.
 *
 * <p>Confined: the main thread.
 */
final class Cuts implements AutoCloseable {
    private final List<FaultProxy> nameNode = new ArrayList<>();
    private final List<List<FaultProxy>> zooKeeper = new ArrayList<>();
    private final List<FaultProxy> transfer = new ArrayList<>();
    private final List<Path> configurations = new ArrayList<>();
    private final Map<Daemon, List<FaultProxy>> dataNodes = new EnumMap<>(Daemon.class);

    /** @param folder where each server's configuration of HDFS and HBase goes */
    Cuts(DevCluster cluster, int servers, Path folder) throws IOException {
        try (FileSystem files = FileSystem.newInstance(cluster.hdfs(), new Configuration())) {
            for (DatanodeInfo each : ((DistributedFileSystem) files).getDataNodeStats()) {
                proxied(cluster, each);
            }
        }
        for (int i = 0; i < servers; i++) {
            nameNode.add(FaultProxy.before(cluster.address(Daemon.NAMENODE)));
            List<FaultProxy> ensemble = new ArrayList<>();
            for (Daemon each : cluster.zooKeepers()) {
                ensemble.add(FaultProxy.before(cluster.address(each)));
            }
            zooKeeper.add(ensemble);
            configurations.add(folder.resolve("hadoop-" + i));
            cluster.writeProxiedConfig(
                    configurations.get(i),
                    nameNode.get(i).address(),
                    ensemble.stream().map(FaultProxy::address).toList());
        }
    }

    /**
     * Puts a proxy before a server's transfer port: at the same port of an address of its own.
     *
     * @return the host that the server is to advertise
     */
    String beforeTransfer(int server, int port) throws IOException {
        String host = transferHost(server);
        transfer.add(FaultProxy.between(
                new InetSocketAddress(host, port), new InetSocketAddress(InetAddress.getLoopbackAddress(), port)));
        return host;
    }

    /** The address at which the other servers reach a server. */
    static String transferHost(int server) {
        return "127.1.0." + (server + 1);
    }

    /** Clients use two ports of a DataNode: one for data, one to query the length of a file that is being written. */
    private void proxied(DevCluster cluster, DatanodeInfo node) throws IOException {
        for (Daemon daemon : Daemon.dataNodes()) {
            InetSocketAddress data = cluster.address(daemon);
            if (data.getPort() == node.getXferPort()) {
                InetSocketAddress at = cluster.proxyAddress(daemon);
                dataNodes.put(
                        daemon,
                        List.of(
                                FaultProxy.between(at, data),
                                FaultProxy.between(
                                        new InetSocketAddress(at.getAddress(), node.getIpcPort()),
                                        new InetSocketAddress(data.getAddress(), node.getIpcPort()))));
            }
        }
    }

    /** The directory with the files by which a server finds HDFS and HBase. */
    Path configuration(int server) {
        return configurations.get(server);
    }

    /** Returns where a server finds ZooKeeper: {@code host:port}, separated by commas. */
    String zooKeeper(int server) {
        return zooKeeper.get(server).stream()
                .map(FaultProxy::address)
                .map(each -> each.getHostString() + ":" + each.getPort())
                .collect(Collectors.joining(","));
    }

    List<FaultProxy> toNameNode(int server) {
        return List.of(nameNode.get(server));
    }

    List<FaultProxy> toZooKeeper(int server) {
        return List.copyOf(zooKeeper.get(server));
    }

    /** The proxies of all servers to the NameNode. */
    List<FaultProxy> toNameNode() {
        return List.copyOf(nameNode);
    }

    /** The proxies of all servers to all DataNodes. */
    List<FaultProxy> toDataNodes() {
        return dataNodes.values().stream().flatMap(List::stream).toList();
    }

    /** The proxies of all other servers to that server. */
    List<FaultProxy> toServer(int server) {
        return List.of(transfer.get(server));
    }

    /** The proxies of all servers to all others. */
    List<FaultProxy> toServers() {
        return List.copyOf(transfer);
    }

    List<FaultProxy> toDataNode(Daemon dataNode) {
        return dataNodes.getOrDefault(dataNode, List.of());
    }

    /** Holds back every byte without closing a connection. */
    static void silence(List<FaultProxy> ways) {
        ways.forEach(FaultProxy::stall);
    }

    /** Ends all connections and refuses new ones. */
    static void refuse(List<FaultProxy> ways) throws IOException {
        for (FaultProxy each : ways) {
            each.refuse();
            each.cut();
        }
    }

    /** Delays every byte in both directions. */
    static void delay(List<FaultProxy> ways, Duration by) {
        ways.forEach(each -> each.delay(by));
    }

    static void repair(List<FaultProxy> ways) throws IOException {
        for (FaultProxy each : ways) {
            each.repair();
        }
    }

    @Override
    public void close() throws IOException {
        List<FaultProxy> all = new ArrayList<>(nameNode);
        zooKeeper.forEach(all::addAll);
        all.addAll(transfer);
        dataNodes.values().forEach(all::addAll);
        for (FaultProxy each : all) {
            each.close();
        }
    }
}
