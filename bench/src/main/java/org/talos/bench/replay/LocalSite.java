// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.replay;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.talos.bench.load.MeasuredServer;
import org.talos.client.admin.TopicDescription;
import org.talos.server.Main;

/** A server with its logs on the local disk. Confined: one run. */
final class LocalSite implements Site {
    private final MeasuredServer server;

    private LocalSite(MeasuredServer server) {
        this.server = server;
    }

    static LocalSite start(ReplaySettings settings, Path log) throws IOException {
        return new LocalSite(MeasuredServer.start(
                Main.class, settings.serverOptions(), settings.environment(Map.of()), settings.work(), log));
    }

    @Override
    public MeasuredServer server() {
        return server;
    }

    @Override
    public List<List<BareFile>> files(TopicDescription topic) throws IOException {
        List<List<BareFile>> all = new ArrayList<>();
        for (int partition = 0; partition < topic.partitions(); partition++) {
            try (Stream<Path> names =
                    Files.list(server.data().resolve("logs").resolve(Site.segments(topic, partition)))) {
                all.add(names.filter(each -> Site.isSegment(each.toString()))
                        .sorted()
                        .<BareFile>map(each -> () -> FileChannel.open(each))
                        .toList());
            }
        }
        return all;
    }

    @Override
    public double daemonSeconds() {
        return Double.NaN;
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
