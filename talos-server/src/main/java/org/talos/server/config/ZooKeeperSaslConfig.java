// SPDX-License-Identifier: Apache-2.0
package org.talos.server.config;

import static org.talos.server.config.Checks.notBlank;

/**
 * This server's authentication with the cluster's ZooKeeper, and the other users of its nodes: {@code zookeeper.sasl}.
 * Immutable.
 *
 * @param mechanism of authentication
 * @param user its name, with {@link Mechanism#DIGEST}
 * @param passwordFile file with the user's password
 * @param principal such as {@code talos@REALM}, with {@link Mechanism#KERBEROS}; {@code _HOST} in it stands for this
 *     machine's name
 * @param keytab path of the file with the principal's key
 * @param service first part of the principal of ZooKeeper's own servers
 * @param access the users of the servers' nodes
 */
public record ZooKeeperSaslConfig(
        Mechanism mechanism,
        String user,
        String passwordFile,
        String principal,
        String keytab,
        String service,
        Access access) {
    /** Checks that the settings of the mechanism are present. */
    public ZooKeeperSaslConfig {
        switch (mechanism) {
            case NONE -> {}
            case DIGEST -> {
                notBlank("zookeeper.sasl.user", user);
                notBlank("zookeeper.sasl.passwordFile", passwordFile);
            }
            case KERBEROS -> {
                notBlank("zookeeper.sasl.principal", principal);
                notBlank("zookeeper.sasl.keytab", keytab);
                notBlank("zookeeper.sasl.service", service);
            }
        }
    }

    /** Returns whether the server makes itself known at all. */
    public boolean enabled() {
        return mechanism != Mechanism.NONE;
    }

    /** The mechanism by which a server authenticates: {@code zookeeper.sasl.mechanism}. */
    public enum Mechanism {
        /** It does not; its nodes are open to everybody. */
        NONE,
        /** User and password: DIGEST-MD5. */
        DIGEST,
        /** A key from a keytab: GSSAPI. */
        KERBEROS
    }

    /** The clients that may use the nodes of a server with credentials: {@code zookeeper.sasl.access}. */
    public enum Access {
        /** The same user alone. */
        PRIVATE,
        /** The same user; everybody may read. */
        READABLE,
        /** Everybody: while servers are given or lose their credentials one after another. */
        OPEN
    }
}
