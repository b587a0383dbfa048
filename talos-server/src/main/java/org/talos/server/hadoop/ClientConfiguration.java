// SPDX-License-Identifier: Apache-2.0
package org.talos.server.hadoop;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.talos.server.config.HBaseConfig;
import org.talos.server.config.HdfsConfig;

/**
 * Reads a cluster's client configuration: the defaults in Hadoop's and HBase's own jars, then the files of the folder
 * that the configuration names. Site files elsewhere on the class path are not read.
 *
 * <p>Immutable.
 */
public final class ClientConfiguration {
    private static final String CORE = "core-site.xml";
    private static final String HDFS = "hdfs-site.xml";
    private static final String HBASE = "hbase-site.xml";

    private ClientConfiguration() {}

    /**
     * For HDFS: core-site.xml and hdfs-site.xml.
     *
     * @throws IOException a file is missing or no configuration; the message names it
     */
    public static Configuration hdfs(HdfsConfig config) throws IOException {
        Path directory = directory("hdfs.configDirectory", config.configDirectory());
        Configuration read = withDefaults("core-default.xml"); // the HDFS client's defaults are in its code
        add(read, required(directory, CORE));
        add(read, required(directory, HDFS));
        return read;
    }

    /**
     * For HBase: hbase-site.xml, and core-site.xml if it exists, which turns on Kerberos in a secure cluster.
     *
     * @throws IOException a file is missing or no configuration; the message names it
     */
    public static Configuration hbase(HBaseConfig config) throws IOException {
        Path directory = directory("hbase.configDirectory", config.configDirectory());
        Configuration read = withDefaults("core-default.xml", "hbase-default.xml");
        if (Files.exists(directory.resolve(CORE))) {
            add(read, required(directory, CORE));
        }
        add(read, required(directory, HBASE));
        return read;
    }

    private static Configuration withDefaults(String... resources) {
        Configuration read = new Configuration(false);
        read.setClassLoader(ClientConfiguration.class.getClassLoader());
        List.of(resources).forEach(read::addResource);
        return read;
    }

    private static Path directory(String key, String text) throws IOException {
        Path directory = Path.of(text).toAbsolutePath();
        if (!Files.isDirectory(directory)) {
            throw new IOException(key + ": " + directory + " (expected: a folder with the cluster's client files)");
        }
        return directory;
    }

    private static Path required(Path directory, String name) throws IOException {
        Path file = directory.resolve(name);
        if (!Files.isReadable(file)) {
            throw new IOException(file + " is missing or cannot be read: copy it from a machine of the cluster");
        }
        return file;
    }

    /** Adds a file and has Hadoop parse it now: it would do so later, and the error would not name the file. */
    private static void add(Configuration read, Path file) throws IOException {
        try {
            read.addResource(file.toUri().toURL());
            read.size();
        } catch (RuntimeException e) {
            throw new IOException(file + " is not a Hadoop configuration: " + e.getMessage(), e);
        }
    }
}
