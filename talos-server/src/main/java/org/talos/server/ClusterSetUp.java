// SPDX-License-Identifier: Apache-2.0
package org.talos.server;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.talos.server.config.LogsIn;
import org.talos.server.config.ServerConfig;
import org.talos.server.hadoop.HadoopLogin;
import org.talos.server.storage.hdfs.HdfsRoot;

/** Makes, once for all servers, what they need in a cluster. Immutable; its calls block. */
public final class ClusterSetUp {
    private ClusterSetUp() {}

    /**
     * Makes what is missing and checks what is there; may be repeated.
     *
     * @return what was done, a line each
     * @throws IOException a cluster can't be reached, or refuses, or what is there is not fit
     */
    public static List<String> prepare(ServerConfig config) throws IOException {
        List<String> done = new ArrayList<>();
        if (!config.storage().onHadoop()) {
            done.add("embedded stores: nothing to be made");
            return done;
        }
        try (HadoopLogin login = HadoopLogin.open(config)) {
            done.add("as user " + login.user());
            if (config.storage().logs() == LogsIn.HDFS) {
                done.add("HDFS: " + HdfsRoot.prepare(config.hdfs()));
            }
        }
        return done;
    }
}
