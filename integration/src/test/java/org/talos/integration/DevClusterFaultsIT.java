// SPDX-License-Identifier: Apache-2.0
package org.talos.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.devcluster.Daemon;
import org.talos.devcluster.DaemonStatus;
import org.talos.devcluster.DaemonStatus.State;
import org.talos.devcluster.DevCluster;
import org.talos.devcluster.FaultProxy;
import org.talos.devcluster.WithDevCluster;

/** Each fault that the development cluster offers is one: seen by a client, and gone when it is undone. */
@Tag("full") // faults
@Tag("storage")
@WithDevCluster
@Timeout(240)
class DevClusterFaultsIT {
    private static final String HBASE = "org.talos.devcluster.daemon.HBaseTool";

    private final DevCluster cluster;

    DevClusterFaultsIT(DevCluster cluster) {
        this.cluster = cluster;
    }

    private FileSystem client(Path config) throws IOException {
        Configuration configuration = new Configuration(false);
        for (String file : new String[] {"core-site.xml", "hdfs-site.xml"}) {
            configuration.addResource(
                    new org.apache.hadoop.fs.Path(config.resolve(file).toUri()));
        }
        return FileSystem.newInstance(configuration);
    }

    private static org.apache.hadoop.fs.Path file(String name) {
        return new org.apache.hadoop.fs.Path("/devcluster-faults/" + name);
    }

    private State state(Daemon daemon) throws Exception {
        Map<Daemon, DaemonStatus> all =
                cluster.status().stream().collect(Collectors.toMap(DaemonStatus::daemon, Function.identity()));
        DaemonStatus status = all.get(daemon);
        assertThat(status).isNotNull();
        return status.state();
    }

    @Test
    void killedDataNodeIsDeadUntilItIsBack() throws Exception {
        cluster.kill(Daemon.DATANODE_2);
        assertThat(state(Daemon.DATANODE_2)).isEqualTo(State.DEAD);
        cluster.awaitDead(Daemon.DATANODE_2);

        cluster.start(Daemon.DATANODE_2);

        cluster.awaitLive(Daemon.DATANODE_2);
        assertThat(state(Daemon.DATANODE_2)).isEqualTo(State.UP);
    }

    @Test
    void writeGoesOnWhenADataNodeIsKilledInTheMiddle() throws Exception {
        try (FileSystem hdfs = client(cluster.clientConfig());
                FSDataOutputStream out = hdfs.create(file("killed"))) {
            out.write(1);
            out.hflush();

            cluster.kill(Daemon.DATANODE_1);
            cluster.kill(Daemon.DATANODE_3);

            out.write(2);
            out.hflush();
        }
    }

    @Test
    void pausedNameNodeAnswersWhenItIsResumed() throws Exception {
        try (FileSystem hdfs = client(cluster.clientConfig())) {
            cluster.pause(Daemon.NAMENODE);
            assertThat(state(Daemon.NAMENODE)).isEqualTo(State.PAUSED);
            CompletableFuture<Boolean> answer = CompletableFuture.supplyAsync(() -> exists(hdfs));
            assertThat(answer).isNotDone();

            cluster.resume(Daemon.NAMENODE);

            assertThat(answer.join()).isFalse();
        }
    }

    private static boolean exists(FileSystem hdfs) {
        try {
            return hdfs.exists(file("nothing"));
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void restartedNameNodeKnowsTheFile() throws Exception {
        try (FileSystem before = client(cluster.clientConfig())) {
            before.create(file("restart")).close();
        }

        cluster.restart(Daemon.NAMENODE);

        // Another client: the first call on a connection that has ended may fail.
        try (FileSystem after = client(cluster.clientConfig())) {
            assertThat(after.exists(file("restart"))).isTrue();
        }
    }

    @Test
    void fullDisksRefuseBlocksUntilTheyAreFreed() throws Exception {
        try (FileSystem hdfs = client(cluster.clientConfig())) {
            for (Daemon dataNode : Daemon.dataNodes()) {
                cluster.fillDisk(dataNode);
            }
            assertThatThrownBy(() -> write(hdfs, "full")).isInstanceOf(IOException.class);

            for (Daemon dataNode : Daemon.dataNodes()) {
                cluster.freeDisk(dataNode);
            }
            write(hdfs, "freed");
            assertThat(hdfs.getFileStatus(file("freed")).getLen()).isEqualTo(3);
        }
    }

    private static void write(FileSystem hdfs, String name) throws IOException {
        FSDataOutputStream out = hdfs.create(file(name));
        out.write(new byte[] {1, 2, 3});
        out.hflush();
        out.close(); // not as a resource: after a failure it throws the same exception once more
    }

    @Test
    void nothingThatWasKeptIsLostByAPowerCut() throws Exception {
        cluster.run(HBASE, "create", "power-cut");
        cluster.run(HBASE, "put", "power-cut", "row", "kept");
        try (FileSystem hdfs = client(cluster.clientConfig())) {
            write(hdfs, "power-cut");
        }

        cluster.killAll();
        cluster.heal();

        assertThat(cluster.run(HBASE, "get", "power-cut", "row")).isEqualTo("kept");
        try (FileSystem hdfs = client(cluster.clientConfig())) {
            assertThat(hdfs.getFileStatus(file("power-cut")).getLen()).isEqualTo(3);
        }
    }

    @Test
    void rowIsThereAfterItsRegionServerWasKilledAndItsRegionMoved() throws Exception {
        cluster.run(HBASE, "create", "moved");
        cluster.run(HBASE, "put", "moved", "row", "kept");

        cluster.kill(Daemon.REGIONSERVER_1);
        cluster.start(Daemon.REGIONSERVER_1);
        assertThat(cluster.run(HBASE, "get", "moved", "row")).isEqualTo("kept");

        cluster.start(Daemon.REGIONSERVER_2);
        cluster.moveRegions("moved");
        assertThat(cluster.run(HBASE, "get", "moved", "row")).isEqualTo("kept");

        cluster.stop(Daemon.REGIONSERVER_2);
        cluster.moveRegions("moved");
        assertThat(cluster.run(HBASE, "get", "moved", "row")).isEqualTo("kept");
    }

    @Test
    void clientBehindProxiesFeelsTheirFaults(@TempDir Path directory) throws Exception {
        try (FaultProxy nameNode = FaultProxy.before(cluster.address(Daemon.NAMENODE));
                FaultProxy zooKeeper = FaultProxy.before(cluster.address(Daemon.ZOOKEEPER));
                FaultProxy one = dataNodeProxy(Daemon.DATANODE_1);
                FaultProxy two = dataNodeProxy(Daemon.DATANODE_2);
                FaultProxy three = dataNodeProxy(Daemon.DATANODE_3)) {
            cluster.writeProxiedConfig(directory, nameNode.address(), zooKeeper.address());
            try (FileSystem hdfs = client(directory);
                    FSDataOutputStream out = hdfs.create(file("proxied"))) {
                out.write(1);
                out.hflush();
                assertThat(nameNode.connections()).isOne();
                assertThat(one.connections() + two.connections() + three.connections())
                        .isOne(); // the first of the pipeline; it reaches the others by itself

                for (FaultProxy dataNode : new FaultProxy[] {one, two, three}) {
                    dataNode.delay(Duration.ofMillis(200));
                }
                long begin = System.nanoTime();
                out.write(2);
                out.hflush();
                assertThat(Duration.ofNanos(System.nanoTime() - begin)).isGreaterThan(Duration.ofMillis(400));

                nameNode.refuse();
                nameNode.cut();
                assertThatThrownBy(() -> hdfs.exists(file("proxied"))).isInstanceOf(IOException.class);
                nameNode.repair();
                assertThat(hdfs.exists(file("proxied"))).isTrue();
            }
            assertThat(Files.readString(directory.resolve("hbase-site.xml")))
                    .contains(Integer.toString(zooKeeper.address().getPort()));
        }
    }

    private FaultProxy dataNodeProxy(Daemon dataNode) throws IOException {
        return FaultProxy.between(cluster.proxyAddress(dataNode), cluster.address(dataNode));
    }
}
