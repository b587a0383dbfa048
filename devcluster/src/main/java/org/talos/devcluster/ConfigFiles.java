// SPDX-License-Identifier: Apache-2.0
package org.talos.devcluster;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Properties;

/**
 * Writes the configuration of daemons and clients.
 *
 * <p>Everything is set for one small machine: few threads, and failures that are noticed in seconds, where a real
 * cluster takes minutes on purpose.
 *
 * <p>Confined: the thread that starts the cluster.
 */
final class ConfigFiles {
    private final Layout layout;
    private final Ports ports;

    ConfigFiles(Layout layout, Ports ports) {
        this.layout = layout;
        this.ports = ports;
    }

    void write(Parts parts) throws IOException {
        Path daemons = layout.daemonConfig();
        core().set("hadoop.tmp.dir", layout.data("tmp")).write(daemons.resolve("core-site.xml"));
        overridden(hdfsDaemons()).write(daemons.resolve("hdfs-site.xml"));
        hbaseDaemons().write(daemons.resolve("hbase-site.xml"));
        for (Daemon each : ports.zooKeepers()) {
            Files.writeString(layout.zooKeeperConfig(each), zooKeeper(each));
            Files.writeString(
                    Files.createDirectories(layout.data(each.label())).resolve("myid"), Integer.toString(id(each)));
        }
        if (asksForPassword()) {
            PrivateFiles.write(layout.zooKeeperLogins(), zooKeeperLogins());
        }
        Files.writeString(daemons.resolve("log4j.properties"), logging());

        Path clients = layout.clientConfig();
        clientCore().write(clients.resolve("core-site.xml"));
        clientHdfs().write(clients.resolve("hdfs-site.xml"));
        if (parts == Parts.ALL) {
            hbase().write(clients.resolve("hbase-site.xml"));
        }
        Files.writeString(clients.resolve("log4j.properties"), clientLogging());
        Files.writeString(clients.resolve("talos.yaml"), talos(parts));
    }

    /** The settings of a client that reaches DataNodes through proxies by their host names. */
    void writeProxied(Path directory) throws IOException {
        clientCore().write(directory.resolve("core-site.xml"));
        clientHdfs().set("dfs.client.use.datanode.hostname", true).write(directory.resolve("hdfs-site.xml"));
        hbase().write(directory.resolve("hbase-site.xml"));
    }

    private SiteFile core() {
        return new SiteFile().set("fs.defaultFS", "hdfs://" + Ports.HOST + ":" + ports.of(Daemon.NAMENODE));
    }

    private SiteFile hdfsDaemons() {
        return new SiteFile()
                .set("dfs.namenode.name.dir", layout.data("namenode").toUri())
                .set("dfs.namenode.rpc-address", Ports.HOST + ":" + ports.of(Daemon.NAMENODE))
                .set("dfs.namenode.http-address", Ports.HOST + ":" + ports.http(Daemon.NAMENODE))
                .set("dfs.replication", Daemon.dataNodes().size())
                // A DataNode is dead after twice the second and ten times the first: 12 s.
                .set("dfs.heartbeat.interval", "1")
                .set("dfs.namenode.heartbeat.recheck-interval", "1000")
                .set("dfs.namenode.stale.datanode.interval", "3000")
                .set("dfs.namenode.avoid.read.stale.datanode", true)
                .set("dfs.namenode.avoid.write.stale.datanode", true)
                .set("dfs.namenode.safemode.extension", "0")
                .set("dfs.namenode.redundancy.interval.seconds", "1s")
                // Of three nodes that do next to nothing, the one that does a little has more than twice the average:
                // it would be left out, and blocks would have two copies.
                .set("dfs.namenode.redundancy.considerLoad", false)
                // Tests fill blocks, and a block of the usual size would take them long.
                .set("dfs.namenode.fs-limits.min-block-size", "65536")
                .set("dfs.datanode.socket.write.timeout", "20000")
                .set("dfs.client.socket-timeout", "10000")
                // Each has its own data on the same disk: what the disk has left is not shared out between them.
                .set("dfs.datanode.du.reserved", "0");
    }

    /** A cluster's directory may have settings of its own, over these. */
    private SiteFile overridden(SiteFile site) throws IOException {
        if (Files.exists(layout.overrides())) {
            Properties own = new Properties();
            try (Reader reader = Files.newBufferedReader(layout.overrides())) {
                own.load(reader);
            }
            own.stringPropertyNames().forEach(name -> site.set(name, own.getProperty(name)));
        }
        return site;
    }

    private SiteFile hbaseDaemons() {
        return hbase().set("hbase.rootdir", "hdfs://" + Ports.HOST + ":" + ports.of(Daemon.NAMENODE) + "/hbase")
                .set("hbase.cluster.distributed", true)
                .set("hbase.tmp.dir", layout.data("hbase-tmp"))
                .set("hbase.master.port", ports.of(Daemon.HMASTER))
                .set("hbase.master.hostname", "localhost")
                .set("hbase.master.ipc.address", Ports.HOST)
                .set("hbase.master.info.port", "-1")
                .set("hbase.regionserver.hostname", "localhost")
                .set("hbase.regionserver.ipc.address", Ports.HOST)
                .set("hbase.regionserver.info.port", "-1")
                .set("hbase.regionserver.handler.count", "10")
                .set("hbase.regionserver.msginterval", "200")
                .set("hbase.master.wait.on.regionservers.mintostart", "1")
                .set("hbase.master.wait.on.regionservers.interval", "200")
                .set("hbase.master.start.timeout.localHBaseCluster", "60000")
                // Threads that poll do so each second: regions of a server that is gone are back soon.
                .set("hbase.server.thread.wakefrequency", "1000")
                // The log of a server that is gone is closed by HDFS within a second; the usual first check is
                // after four.
                .set("hbase.lease.recovery.first.pause", "500")
                .set("hbase.lease.recovery.pause", "500")
                // A log that was begun while every disk was full has no byte on any DataNode, and HDFS never closes
                // it. HBase continues without it after three attempts, each as long as the NameNode lets one take, and
                // not after a quarter of an hour: nothing in it has been acknowledged.
                .set("hbase.lease.recovery.dfs.timeout", "31000")
                .set("hbase.lease.recovery.timeout", "90000")
                // A region server is gone when its session is.
                .set("zookeeper.session.timeout", "10000")
                .set("hbase.client.retries.number", "15");
    }

    private SiteFile hbase() {
        return new SiteFile()
                .set("hbase.zookeeper.quorum", isEnsemble() ? ports.zooKeeper() : Ports.HOST)
                .set("hbase.zookeeper.property.clientPort", ports.of(Daemon.ZOOKEEPER))
                .set("zookeeper.znode.parent", "/hbase");
    }

    private boolean asksForPassword() {
        return Files.exists(layout.zooKeeperPassword());
    }

    private String zooKeeperLogins() throws IOException {
        return String.format(
                Locale.ROOT,
                """
                Server {
                  org.apache.zookeeper.server.auth.DigestLoginModule required
                  user_%s="%s";
                };
                """,
                DevCluster.ZOOKEEPER_USER,
                Files.readString(layout.zooKeeperPassword()).strip());
    }

    private boolean isEnsemble() {
        return ports.zooKeepers().size() > 1;
    }

    /** Returns the number of a server of ZooKeeper within its ensemble. */
    private static int id(Daemon server) {
        return Daemon.zooKeepers().indexOf(server) + 1;
    }

    private String zooKeeper(Daemon server) {
        StringBuilder ensemble = new StringBuilder();
        if (isEnsemble()) {
            // A follower that is silent for so many ticks, or a leader, is left: seconds.
            ensemble.append("initLimit=10\nsyncLimit=4\n");
            for (Daemon each : ports.zooKeepers()) {
                ensemble.append(String.format(
                        Locale.ROOT,
                        "server.%d=%s:%d:%d\n",
                        id(each),
                        Ports.HOST,
                        ports.peer(each),
                        ports.election(each)));
            }
        }
        // Who does not make himself known is let in all the same, as HBase is.
        String authentication =
                asksForPassword() ? "authProvider.1=org.apache.zookeeper.server.auth.SASLAuthenticationProvider\n" : "";
        return String.format(Locale.ROOT, """
                dataDir=%s
                clientPortAddress=%s
                clientPort=%d
                tickTime=1000
                # More than the usual 20 ticks: a test may want a session that outlasts much.
                maxSessionTimeout=60000
                admin.enableServer=false
                4lw.commands.whitelist=ruok,srvr
                """, layout.data(server.label()), Ports.HOST, ports.of(server))
                + authentication
                + ensemble;
    }

    private static String logging() {
        return """
                log4j.rootLogger=INFO, file
                log4j.appender.file=org.apache.log4j.RollingFileAppender
                log4j.appender.file.File=${talos.devcluster.log}
                log4j.appender.file.MaxFileSize=20MB
                log4j.appender.file.MaxBackupIndex=2
                log4j.appender.file.layout=org.apache.log4j.PatternLayout
                log4j.appender.file.layout.ConversionPattern=%d{ISO8601} %-5p [%t] %c{2}: %m%n
                # A line or more for each block: nothing that anybody reads.
                log4j.logger.BlockStateChange=WARN
                log4j.logger.org.apache.hadoop.hdfs.StateChange=WARN
                log4j.logger.org.apache.hadoop.hdfs.server.datanode.DataNode.clienttrace=WARN
                log4j.logger.org.apache.hadoop.hdfs.server.datanode.fsdataset=WARN
                log4j.logger.org.apache.zookeeper.ZooKeeper=WARN
                """;
    }

    /** Returns the logging of Hadoop's own programs: their output is what they print. */
    private static String clientLogging() {
        return """
                log4j.rootLogger=WARN, console
                log4j.appender.console=org.apache.log4j.ConsoleAppender
                log4j.appender.console.target=System.err
                log4j.appender.console.layout=org.apache.log4j.PatternLayout
                log4j.appender.console.layout.ConversionPattern=%p %c{2}: %m%n
                """;
    }

    /** A NameNode that is gone is noticed in seconds. */
    private SiteFile clientCore() {
        return core().set("ipc.client.connect.timeout", "2000")
                .set("ipc.client.connect.max.retries", "3")
                .set("ipc.client.connect.max.retries.on.timeouts", "3")
                .set("ipc.client.rpc-timeout.ms", "10000");
    }

    private SiteFile clientHdfs() {
        return new SiteFile()
                .set("dfs.replication", Daemon.dataNodes().size())
                .set("dfs.namenode.http-address", Ports.HOST + ":" + ports.http(Daemon.NAMENODE))
                .set("dfs.client.socket-timeout", "10000")
                .set("dfs.datanode.socket.write.timeout", "20000")
                // With three DataNodes there is no fourth to take the place of one that fails in mid-block. Without
                // this, each write would fail with it; with it, writes continue with those that are left.
                .set("dfs.client.block.write.replace-datanode-on-failure.enable", true)
                .set("dfs.client.block.write.replace-datanode-on-failure.policy", "DEFAULT")
                .set("dfs.client.block.write.replace-datanode-on-failure.best-effort", true);
    }

    private String talos(Parts parts) {
        StringBuilder text = new StringBuilder("# A Talos server on this development cluster.\n")
                .append("dataDirectory: ")
                .append(quoted(layout.data("talos")))
                .append("\nhttp:\n  port: ")
                .append(ports.of(Ports.TALOS))
                .append("\nmanagement:\n  port: ")
                .append(ports.of(Ports.TALOS_MANAGEMENT))
                .append("\nstorage:\n  logs: hdfs\n  metadata: ")
                .append(parts == Parts.ALL ? "hbase" : "rocksdb")
                .append("\nhdfs:\n  configDirectory: ")
                .append(quoted(layout.clientConfig()))
                .append('\n');
        if (parts == Parts.ALL) {
            text.append("hbase:\n  configDirectory: ")
                    .append(quoted(layout.clientConfig()))
                    .append('\n');
        }
        return text.toString();
    }

    private static String quoted(Path path) {
        return "'" + path.toString().replace("'", "''") + "'";
    }
}
