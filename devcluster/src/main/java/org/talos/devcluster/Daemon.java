// SPDX-License-Identifier: Apache-2.0
package org.talos.devcluster;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The daemons of a development cluster, in the order in which they start. They stop in reverse. */
public enum Daemon {
    ZOOKEEPER("org.apache.zookeeper.server.quorum.QuorumPeerMain", 64),
    /** The second server of a cluster whose ZooKeeper is an ensemble of three. */
    ZOOKEEPER_2("org.apache.zookeeper.server.quorum.QuorumPeerMain", 64),
    ZOOKEEPER_3("org.apache.zookeeper.server.quorum.QuorumPeerMain", 64),
    NAMENODE("org.apache.hadoop.hdfs.server.namenode.NameNode", 512),
    DATANODE_1("org.apache.hadoop.hdfs.server.datanode.DataNode", 256),
    DATANODE_2("org.apache.hadoop.hdfs.server.datanode.DataNode", 256),
    DATANODE_3("org.apache.hadoop.hdfs.server.datanode.DataNode", 256),
    HMASTER("org.apache.hadoop.hbase.master.HMaster", 256),
    REGIONSERVER_1("org.apache.hadoop.hbase.regionserver.HRegionServer", 256),
    /** Not started with the others; regions move between it and the first. */
    REGIONSERVER_2("org.apache.hadoop.hbase.regionserver.HRegionServer", 256);

    private static final List<Daemon> ZOOKEEPERS = List.of(ZOOKEEPER, ZOOKEEPER_2, ZOOKEEPER_3);
    private static final List<Daemon> DATANODES = List.of(DATANODE_1, DATANODE_2, DATANODE_3);
    private static final List<Daemon> HBASE = List.of(HMASTER, REGIONSERVER_1, REGIONSERVER_2);

    private final String mainClass;
    private final int heapMegabytes;

    Daemon(String mainClass, int heapMegabytes) {
        this.mainClass = mainClass;
        this.heapMegabytes = heapMegabytes;
    }

    /** All DataNodes. */
    public static List<Daemon> dataNodes() {
        return DATANODES;
    }

    /** All servers of an ensemble of three. */
    static List<Daemon> zooKeepers() {
        return ZOOKEEPERS;
    }

    /** The daemon of that {@link #label}. */
    public static Optional<Daemon> of(String label) {
        return Arrays.stream(values())
                .filter(daemon -> daemon.label().equals(label))
                .findFirst();
    }

    /** Its name in files, commands and tables: {@code datanode-1}. */
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    boolean isZooKeeper() {
        return ZOOKEEPERS.contains(this);
    }

    boolean isDataNode() {
        return DATANODES.contains(this);
    }

    boolean isHBase() {
        return HBASE.contains(this);
    }

    String mainClass() {
        return mainClass;
    }

    int heapMegabytes() {
        return heapMegabytes;
    }
}
