// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.replay;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.talos.bench.hdfs.Cluster;
import org.talos.bench.hdfs.Way;
import org.talos.bench.load.MeasuredServer;
import org.talos.client.admin.TopicDescription;
import org.talos.server.Main;

/** A server with its logs in HDFS. Confined: one run. */
final class HdfsSite implements Site {
    private final Cluster cluster;
    private final Path root;
    private final MeasuredServer server;

    private HdfsSite(Cluster cluster, Path root, MeasuredServer server) {
        this.cluster = cluster;
        this.root = root;
        this.server = server;
    }

    /** @param cluster the site's from now on */
    static HdfsSite start(Cluster cluster, ReplaySettings settings, java.nio.file.Path log) throws IOException {
        try {
            Map<String, String> store = cluster.server(Way.JOURNAL);
            MeasuredServer server = MeasuredServer.start(
                    Main.class, settings.serverOptions(), settings.environment(store), settings.work(), log);
            return new HdfsSite(cluster, new Path(Objects.requireNonNull(store.get("HDFS_ROOT"))), server);
        } catch (IOException | RuntimeException e) {
            cluster.close();
            throw e;
        }
    }

    @Override
    public MeasuredServer server() {
        return server;
    }

    @Override
    public List<List<BareFile>> files(TopicDescription topic) throws IOException {
        List<List<BareFile>> all = new ArrayList<>();
        for (int partition = 0; partition < topic.partitions(); partition++) {
            FileStatus[] names = cluster.files().listStatus(new Path(root, Site.segments(topic, partition)));
            all.add(Arrays.stream(names)
                    .map(FileStatus::getPath)
                    .filter(each -> Site.isSegment(each.getName()))
                    .sorted()
                    .<BareFile>map(each -> () -> new Stream(cluster.files().open(each)))
                    .toList());
        }
        return all;
    }

    @Override
    public double daemonSeconds() {
        return cluster.daemonSeconds();
    }

    @Override
    public void close() throws IOException {
        try (cluster) {
            server.close();
        }
    }

    /** A stream of Hadoop's client, one a file. Confined: to one reader. */
    private record Stream(FSDataInputStream in) implements ReadableByteChannel {
        @Override
        public int read(ByteBuffer into) throws IOException {
            return in.read(into);
        }

        @Override
        public boolean isOpen() {
            return true; // nobody asks
        }

        @Override
        public void close() throws IOException {
            in.close();
        }
    }
}
