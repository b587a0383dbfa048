// SPDX-License-Identifier: Apache-2.0
package org.talos.devcluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The paths of a cluster's files, all under one directory. Immutable.
 *
 * @param directory absolute
 * @param daemons target folder of the module that holds the daemons' jars and {@code DaemonMain}
 */
record Layout(Path directory, Path daemons) {
    Layout {
        directory = directory.toAbsolutePath().normalize();
        daemons = daemons.toAbsolutePath().normalize();
    }

    /** The directory of the clients' configuration. */
    Path clientConfig() {
        return directory.resolve("conf");
    }

    /** The directory of the daemons' configuration. */
    Path daemonConfig() {
        return directory.resolve("daemons");
    }

    Path zooKeeperConfig(Daemon server) {
        return daemonConfig().resolve(server.label() + ".cfg");
    }

    /** The password of ZooKeeper's user; there if ZooKeeper asks for one. */
    Path zooKeeperPassword() {
        return clientConfig().resolve("zookeeper.password");
    }

    /** Returns where ZooKeeper's servers find users and passwords. */
    Path zooKeeperLogins() {
        return daemonConfig().resolve("zookeeper.jaas");
    }

    /** Settings of the HDFS daemons, over those that every development cluster has; need not be there. */
    Path overrides() {
        return directory.resolve("hdfs.properties");
    }

    Path data(String name) {
        return directory.resolve("data").resolve(name);
    }

    Path log(Daemon daemon) {
        return directory.resolve("logs").resolve(daemon.label() + ".log");
    }

    /** The output of a daemon's JVM. */
    Path output(Daemon daemon) {
        return directory.resolve("logs").resolve(daemon.label() + ".out");
    }

    Path pidFile(Daemon daemon) {
        return directory.resolve("run").resolve(daemon.label() + ".pid");
    }

    Path portsFile() {
        return directory.resolve("run").resolve("ports.properties");
    }

    Path lockFile() {
        return directory.resolve("run").resolve("lock");
    }

    String daemonClassPath() {
        return classPath(daemonConfig());
    }

    String clientClassPath() {
        return classPath(clientConfig());
    }

    /**
     * The module's own classes are in its jar, which each way of building it makes: {@code bin/talos} compiles to
     * another folder than the build does. In an unpacked archive they are a folder, and there is no jar.
     */
    private String classPath(Path config) {
        return String.join(
                System.getProperty("path.separator"),
                config.toString(),
                daemons.resolve("*").toString(),
                daemons.resolve("classes").toString(),
                daemons.resolve("lib").resolve("*").toString());
    }

    void create() throws IOException {
        if (!Files.isDirectory(daemons.resolve("lib"))) {
            throw new IOException("the daemons' jars are not at " + daemons.resolve("lib")
                    + ": build the module devcluster/daemons (mvn package)");
        }
        for (String folder : List.of("conf", "daemons", "data", "logs", "run")) {
            Files.createDirectories(directory.resolve(folder));
        }
        // The NameNode refuses to start without these; it does not read their content.
        for (String page : List.of("hdfs", "datanode", "secondary", "static")) {
            Files.createDirectories(daemonConfig().resolve("webapps").resolve(page));
        }
    }
}
