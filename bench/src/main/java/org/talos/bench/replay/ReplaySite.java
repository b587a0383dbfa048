// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.replay;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.ReadableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.talos.bench.engine.ServerSetup;
import org.talos.bench.hdfs.Cluster;
import org.talos.bench.hdfs.Way;
import org.talos.bench.load.MeasuredServer;
import org.talos.client.admin.TopicDescription;
import org.talos.server.Main;

/** A server and where it keeps its logs: on the local disk, or in HDFS. Confined: one run. */
final class ReplaySite implements AutoCloseable {
    private static final String SEGMENT = ".log"; // ends the names of files with messages; they begin with the first

    private final MeasuredServer server;
    private final Listing listing;
    private final Optional<Cluster> cluster;

    private ReplaySite(MeasuredServer server, Listing listing, Optional<Cluster> cluster) {
        this.server = server;
        this.listing = listing;
        this.cluster = cluster;
    }

    /** Lists the files of a directory of the store. */
    @FunctionalInterface
    private interface Listing {
        /** Returns the files by name. */
        SortedMap<String, BareFile> of(String directory) throws IOException;
    }

    private static MeasuredServer start(ReplaySettings settings, Map<String, String> store, Path log)
            throws IOException {
        ServerSetup setup = settings.server();
        return MeasuredServer.start(Main.class, setup.options(), settings.environment(store), setup.work(), log);
    }

    /** Starts a server with its logs on the local disk. */
    static ReplaySite local(ReplaySettings settings, Path log) throws IOException {
        MeasuredServer server = start(settings, Map.of(), log);
        return new ReplaySite(
                server, directory -> local(server.data().resolve("logs").resolve(directory)), Optional.empty());
    }

    private static SortedMap<String, BareFile> local(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            SortedMap<String, BareFile> found = new TreeMap<>();
            files.forEach(each -> found.put(each.getFileName().toString(), () -> FileChannel.open(each)));
            return found;
        }
    }

    /**
     * Starts a server with its logs in HDFS.
     *
     * @param cluster the site's from now on
     */
    static ReplaySite hdfs(Cluster cluster, ReplaySettings settings, Path log) throws IOException {
        try {
            Map<String, String> store = cluster.server(Way.JOURNAL);
            String root = store.getOrDefault("HDFS_ROOT", "");
            MeasuredServer server = start(settings, store, log);
            return new ReplaySite(server, directory -> hdfs(cluster, root + "/" + directory), Optional.of(cluster));
        } catch (IOException | RuntimeException e) {
            cluster.close();
            throw e;
        }
    }

    private static SortedMap<String, BareFile> hdfs(Cluster cluster, String directory) throws IOException {
        SortedMap<String, BareFile> found = new TreeMap<>();
        for (FileStatus each : cluster.files().listStatus(new org.apache.hadoop.fs.Path(directory))) {
            found.put(each.getPath().getName(), () -> new InHdfs(cluster.files().open(each.getPath())));
        }
        return found;
    }

    /** The server. */
    MeasuredServer server() {
        return server;
    }

    /** The files of each partition's segments, from its first message on (docs/formats has their paths). */
    List<List<BareFile>> files(TopicDescription topic) throws IOException {
        String resource = topic.resourceName();
        String topicId = resource.substring(resource.lastIndexOf('#') + 1);
        List<List<BareFile>> all = new ArrayList<>();
        for (int partition = 0; partition < topic.partitions(); partition++) {
            SortedMap<String, BareFile> found = listing.of("segments/" + topicId + "/" + partition);
            found.keySet().removeIf(name -> !name.endsWith(SEGMENT));
            all.add(List.copyOf(found.values()));
        }
        return all;
    }

    /** Processor seconds that the store's own daemons have used; NaN if there are none, or others start them. */
    double daemonSeconds() {
        return cluster.map(Cluster::daemonSeconds).orElse(Double.NaN);
    }

    /** Ends the server; nothing of it is left. */
    @Override
    public void close() throws IOException {
        try {
            server.close();
        } finally {
            if (cluster.isPresent()) {
                cluster.get().close();
            }
        }
    }

    /** A file in HDFS as a stream of Hadoop's client. Confined: to one reader. */
    private record InHdfs(FSDataInputStream in) implements ReadableByteChannel {
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
