// SPDX-License-Identifier: Apache-2.0
package org.talos.devcluster;

/** How much of a development cluster runs. */
public enum Parts {
    /** NameNode and DataNodes. */
    HDFS,
    /** HDFS, all of ZooKeeper, HBase's master and one region server. */
    ALL;

    boolean has(Daemon daemon) {
        return switch (daemon) {
            case NAMENODE, DATANODE_1, DATANODE_2, DATANODE_3 -> true;
            case ZOOKEEPER, ZOOKEEPER_2, ZOOKEEPER_3, HMASTER, REGIONSERVER_1 -> this == ALL;
            case REGIONSERVER_2 -> false;
        };
    }
}
