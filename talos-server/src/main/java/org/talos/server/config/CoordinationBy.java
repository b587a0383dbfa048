// SPDX-License-Identifier: Apache-2.0
package org.talos.server.config;

/** What says which server serves which partition: {@code cluster.coordination}. */
public enum CoordinationBy {
    /** Nothing: this server serves them all. */
    SINGLE,
    /** A ZooKeeper that all servers share. */
    ZOOKEEPER
}
