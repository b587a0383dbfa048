// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.hdfs;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.talos.cli.CommandException;
import org.talos.server.config.Durability;
import picocli.CommandLine.Option;

/** The options of the commands that measure on HDFS. Confined: the main thread. */
final class HdfsOptions {
    @Option(names = "--config", paramLabel = "FILE", description = "A server's configuration, which names the HDFS")
    private Optional<Path> config = Optional.empty();

    @Option(
            names = "--directory",
            paramLabel = "DIR",
            description = "Of the HDFS that is started; its data stays. Default: in the report, without its data")
    private Optional<Path> directory = Optional.empty();

    @Option(
            names = "--durability",
            description = "flush: in all replicas' memory; fsync: on their disks. Default: flush")
    private Durability durability = Durability.FLUSH;

    /** The default of each. */
    HdfsOptions() {}

    Durability durability() {
        return durability;
    }

    /**
     * Opens the HDFS that was named, or starts one.
     *
     * @param home of the project
     * @param folder of the report
     */
    Cluster cluster(Path home, Path folder) throws IOException, CommandException {
        return config.isPresent()
                ? Cluster.of(config.get())
                : Cluster.start(home, directory.orElse(folder.resolve("cluster")), directory.isPresent());
    }

    /**
     * Returns the lines for settings.txt.
     *
     * @param started says how an HDFS is started
     */
    SortedMap<String, String> described(String started) {
        return new TreeMap<>(Map.of(
                "durability",
                durability.name(),
                "HDFS",
                config.map(Path::toString).orElse(started)));
    }
}
