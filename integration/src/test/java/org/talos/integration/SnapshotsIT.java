// SPDX-License-Identifier: Apache-2.0
package org.talos.integration;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.client.ClientConfig;
import org.talos.client.TalosClient;
import org.talos.client.admin.NewTopic;
import org.talos.client.admin.TalosAdmin;
import org.talos.client.admin.TopicDescription;
import org.talos.client.consumer.FetchedMessage;
import org.talos.client.consumer.SimpleConsumer;
import org.talos.client.producer.Compression;
import org.talos.client.producer.OutgoingMessage;
import org.talos.client.producer.SimpleProducer;
import org.talos.devcluster.DevCluster;
import org.talos.devcluster.WithDevCluster;
import org.talos.server.TalosServer;
import org.talos.server.config.load.ConfigLoader;

/**
 * The snapshots of docs/tutorials/backup.md, by the commands of the page. In the place of {@code hdfs} and
 * {@code hbase} stand scripts that run the classes of those commands: the shell of HBase is a program of Ruby, of which
 * there is as much here as the page needs.
 */
@Tag("full") // daemons
@Tag("storage")
@WithDevCluster
@Timeout(300)
class SnapshotsIT {
    private static final String SHELL = """
            import java.util.regex.*;
            import org.apache.hadoop.hbase.*;
            import org.apache.hadoop.hbase.client.*;

            public class Shell {
                public static void main(String[] arguments) throws Exception {
                    String text = new String(System.in.readAllBytes());
                    try (Connection connection = ConnectionFactory.createConnection(HBaseConfiguration.create());
                            Admin admin = connection.getAdmin()) {
                        Matcher each = Pattern.compile("(\\\\w+) '([^']*)'(?:, '([^']*)')?").matcher(text);
                        while (each.find()) {
                            switch (each.group(1)) {
                                case "snapshot" -> admin.snapshot(each.group(3), TableName.valueOf(each.group(2)));
                                case "disable" -> admin.disableTable(TableName.valueOf(each.group(2)));
                                case "restore_snapshot" -> admin.restoreSnapshot(each.group(2));
                                case "enable" -> admin.enableTable(TableName.valueOf(each.group(2)));
                                default -> throw new IllegalArgumentException(each.group());
                            }
                        }
                    }
                }
            }
            """;

    @TempDir
    private Path directory;

    private final DevCluster cluster;
    private PageRun run;
    private Map<String, String> environment;

    SnapshotsIT(DevCluster cluster) {
        this.cluster = cluster;
    }

    @BeforeEach
    void commands() throws Exception {
        run = new PageRun(directory);
        String jars = cluster.clientConfig() + ":" + PageRun.ROOT.resolve("devcluster/daemons/target/lib") + "/*";
        Files.writeString(directory.resolve("Shell.java"), SHELL);
        script("hdfs", String.format(Locale.ROOT, """
                case $1 in
                    dfs) main=org.apache.hadoop.fs.FsShell ;;
                    dfsadmin) main=org.apache.hadoop.hdfs.tools.DFSAdmin ;;
                esac
                shift
                exec java -cp "%s" $main "$@"
                """, jars));
        script("hbase", String.format(Locale.ROOT, "exec java -cp \"%s\" %s\n", jars, directory.resolve("Shell.java")));
        environment = Map.of("PATH", directory.resolve("bin") + ":" + System.getenv("PATH"));
    }

    private void script(String name, String text) throws Exception {
        Path file = Files.writeString(directory.resolve("bin").resolve(name), "#!/bin/sh\n" + text);
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }

    private TalosServer server() throws Exception {
        return TalosServer.start(ConfigLoader.load(
                cluster.talosConfig(),
                Map.of(
                        "TALOS_HDFS_ROOT", "/snapshots",
                        "TALOS_HBASE_TABLE", "snapshots",
                        "TALOS_HTTP_PORT", "0",
                        "TALOS_MANAGEMENT_PORT", "0",
                        "TALOS_DATADIRECTORY", directory.resolve("data").toString())));
    }

    private static void put(TalosClient client, TopicDescription topic, int from, int to) throws Exception {
        List<OutgoingMessage> messages = IntStream.range(from, to)
                .mapToObj(each -> OutgoingMessage.of("message " + each))
                .toList();
        try (SimpleProducer producer = new SimpleProducer(client, topic, Compression.NONE)) {
            producer.put(0, messages);
        }
    }

    private TalosClient client(TalosServer server) throws Exception {
        return new TalosClient(ClientConfig.of(server.uri(), directory.resolve("data/admin.credentials")));
    }

    /** The commands for HDFS and HBase of a block of the page, for this test's directory and table. */
    private void commandsOf(String block) throws Exception {
        String commands = block.lines()
                .filter(line -> line.startsWith("hdfs ") || line.startsWith("echo "))
                .map(line -> line.replace("/talos", "/snapshots").replace("'talos'", "'snapshots'"))
                .collect(Collectors.joining("\n"));
        assertThat(commands.lines()).hasSizeGreaterThan(2);
        run.script(commands, environment);
    }

    @Test
    void whatWasThereAtTheSnapshotIsThereAfterTheRestore() throws Exception {
        List<String> blocks = new ArrayList<>(PageRun.blocks("tutorials/backup.md", "text"));
        run.script(
                "bin/talos init --config " + cluster.talosConfig(),
                Map.of("TALOS_HDFS_ROOT", "/snapshots", "TALOS_HBASE_TABLE", "snapshots"));
        try (TalosServer server = server();
                TalosClient client = client(server)) {
            put(client, new TalosAdmin(client).createTopic(NewTopic.of("orders", 1)), 0, 500);
        }
        commandsOf(blocks.get(0));
        try (TalosServer server = server();
                TalosClient client = client(server)) {
            TalosAdmin admin = new TalosAdmin(client);
            put(client, admin.describeTopic("orders"), 500, 600);
            admin.deleteTopic("orders");
            admin.createTopic(NewTopic.of("made-since", 1));
        }
        commandsOf(blocks.get(blocks.size() - 1));

        try (TalosServer server = server();
                TalosClient client = client(server)) {
            TalosAdmin admin = new TalosAdmin(client);
            assertThat(admin.listTopics()).hasSize(1);
            List<FetchedMessage> messages =
                    new SimpleConsumer(client, admin.describeTopic("orders"), 0).fetch(0, 1_000);
            assertThat(messages).hasSize(500);
            assertThat(messages.get(499).text()).isEqualTo("message 499");
            put(client, admin.describeTopic("orders"), 500, 501);
        }
    }
}
