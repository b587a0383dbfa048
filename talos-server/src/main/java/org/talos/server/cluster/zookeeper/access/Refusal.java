// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.zookeeper.access;

import java.util.Optional;
import org.apache.zookeeper.KeeperException;
import org.talos.server.config.ZooKeeperConfig;

/** The remedy for a client that ZooKeeper refuses, where a retry does not help. Immutable. */
public final class Refusal {
    private Refusal() {}

    /** Returns the advice for an operator; empty for another failure. */
    public static Optional<String> of(Exception failure, ZooKeeperConfig config) {
        if (!(failure instanceof KeeperException refused)) {
            return Optional.empty();
        }
        return switch (refused.code()) {
            case AUTHFAILED, SESSIONCLOSEDREQUIRESASLAUTH, INVALIDACL -> Optional.of(credentials(config));
            case NOAUTH -> Optional.of(config.sasl().enabled() ? ofOthers(refused, config) : none(refused, config));
            default -> Optional.empty();
        };
    }

    /** Returns the advice for a client whose credentials ZooKeeper does not accept or understand. */
    public static String credentials(ZooKeeperConfig config) {
        return config.sasl().enabled()
                ? "ZooKeeper at " + config.connect() + " refuses the credentials of zookeeper.sasl: user or principal, "
                        + "password or keytab are not what it knows; or its servers know no users: they need "
                        + "authProvider.1=org.apache.zookeeper.server.auth.SASLAuthenticationProvider and a login "
                        + "configuration with a section Server (docs/security.md)"
                : "ZooKeeper at " + config.connect() + " asks for credentials: set zookeeper.sasl (docs/security.md)";
    }

    private static String none(KeeperException refused, ZooKeeperConfig config) {
        return "ZooKeeper at " + config.connect() + " refuses " + refused.getPath()
                + ", which belongs to servers with credentials: set zookeeper.sasl as theirs is";
    }

    private static String ofOthers(KeeperException refused, ZooKeeperConfig config) {
        return "ZooKeeper at " + config.connect() + " refuses " + refused.getPath() + ", which belongs to another user "
                + "than that of zookeeper.sasl: all servers need the same one. If it is to be another one, start all "
                + "of them with the earlier one and zookeeper.sasl.access: open first";
    }
}
