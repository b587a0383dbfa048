// SPDX-License-Identifier: Apache-2.0
package org.talos.check.nemesis;

/**
 * The shape of a run, by which faults are drawn. Immutable.
 *
 * @param servers Talos servers
 * @param zooKeepers servers of ZooKeeper: 1, or 3 as an ensemble
 * @param local one server with all its data on this machine's disk, and no daemon
 * @param sasl servers have a password for ZooKeeper, and nobody else may change their nodes
 * @param tls whether servers talk mutual TLS with each other
 */
public record Shape(int servers, int zooKeepers, boolean local, boolean sasl, boolean tls) {
    /** Checks that the parts go together. */
    public Shape {
        if (servers < 2) {
            refuse("sasl", sasl);
            refuse("tls", tls);
        }
        if (servers < 1 || (zooKeepers != 1 && zooKeepers != 3) || (local && (servers > 1 || zooKeepers > 1))) {
            throw new IllegalArgumentException("servers: " + servers + ", ZooKeeper's: " + zooKeepers
                    + " (expected: 1 or more, and 1 or 3; with local storage one, and none)");
        }
    }

    private static void refuse(String option, boolean wanted) {
        if (wanted) {
            throw new IllegalArgumentException(option + ", servers: 1 (expected: 2 or more)");
        }
    }

    /** A shape without passwords and TLS. */
    public Shape(int servers, int zooKeepers, boolean local) {
        this(servers, zooKeepers, local, false, false);
    }

    /** Returns whether there are several servers, that share partitions. */
    boolean isShared() {
        return servers > 1;
    }

    /** Returns whether ZooKeeper continues without one of its servers. */
    boolean hasEnsemble() {
        return zooKeepers > 1;
    }
}
