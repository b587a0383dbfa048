// SPDX-License-Identifier: Apache-2.0
package org.talos.server.config;

/**
 * This server's login to HDFS and HBase: {@code kerberos}. Both empty means no Kerberos. Immutable.
 *
 * @param principal such as {@code talos/host@REALM}; {@code _HOST} in it stands for this machine's name
 * @param keytab path of the file with the principal's key
 */
public record KerberosConfig(String principal, String keytab) {
    /** Checks that both or none are set. */
    public KerberosConfig {
        if (principal.isEmpty() != keytab.isEmpty()) {
            throw new IllegalArgumentException("kerberos.principal: " + principal + ", kerberos.keytab: " + keytab
                    + " (expected: both, or neither)");
        }
    }

    /** Returns whether the server logs in by Kerberos. */
    public boolean enabled() {
        return !principal.isEmpty();
    }
}
