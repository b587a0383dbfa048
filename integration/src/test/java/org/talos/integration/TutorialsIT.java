// SPDX-License-Identifier: Apache-2.0
package org.talos.integration;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.launcher.local.SpawnedServer;
import org.talos.server.TalosServer;

/** The tutorials that need more than a server: those of the launcher's tests need no more. */
@Tag("full") // daemons
@Tag("servers")
@Timeout(600)
class TutorialsIT {
    private static final Path KAFKA = PageRun.ROOT.resolve("bench/kafka/target");
    private static final List<String> OF_THE_CLIENT =
            List.of("talos-client", "talos-common", "libthrift", "zstd-jni", "snappy-java", "lz4-java", "slf4j-api");

    /**
     * Commands that fill Kafka before: 100 messages in each of three partitions, and a group that has read some of
     * them.
     */
    private static final String BEFORE = """
            import java.nio.charset.StandardCharsets;
            import java.util.*;
            import org.apache.kafka.clients.admin.*;
            import org.apache.kafka.clients.consumer.OffsetAndMetadata;
            import org.apache.kafka.clients.producer.*;
            import org.apache.kafka.common.TopicPartition;
            import org.apache.kafka.common.serialization.*;

            public class Before {
                public static void main(String[] arguments) throws Exception {
                    Map<String, Object> kafka = Map.of("bootstrap.servers", arguments[0]);
                    try (Admin admin = Admin.create(kafka);
                            var producer = new KafkaProducer<>(kafka, new StringSerializer(), new StringSerializer())) {
                        admin.createTopics(List.of(new NewTopic("orders", 3, (short) 1))).all().get();
                        for (int i = 0; i < 300; i++) {
                            var message = new ProducerRecord<>("orders", i % 3, "key-" + i, i == 7 ? null : "order " + i);
                            message.headers().add("Source", ("shop " + i).getBytes(StandardCharsets.UTF_8));
                            producer.send(message).get();
                        }
                        admin.alterConsumerGroupOffsets("billing", Map.of(
                                new TopicPartition("orders", 0), new OffsetAndMetadata(40),
                                new TopicPartition("orders", 2), new OffsetAndMetadata(100))).all().get();
                    }
                }
            }
            """;

    @TempDir
    private Path directory;

    /** Of this test's class path, what a program has that uses the client. */
    private static String clientJars() {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .filter(each -> OF_THE_CLIENT.stream().anyMatch(each::contains))
                .collect(Collectors.joining(File.pathSeparator));
    }

    @Test
    void fromKafka() throws Exception {
        String broker = KAFKA.resolve("classes") + File.pathSeparator + KAFKA.resolve("lib") + "/*";
        Path log = directory.resolve("kafka.log");
        Path data = Files.createDirectory(directory.resolve("kafka"));
        List<String> program = List.of("org.talos.bench.kafka.KafkaBroker", data.toString());
        PageRun run = new PageRun(directory);
        Files.writeString(directory.resolve("Before.java"), BEFORE);
        try (SpawnedServer kafka = SpawnedServer.start(broker, program, List.of("-Xmx512m"), log);
                TalosServer server = TalosServer.embedded(directory.resolve("data"))) {
            String at = kafka.uri().getAuthority();
            run.script("java -cp '" + KAFKA.resolve("lib") + "/*' Before.java " + at, Map.of());

            String printed = run.page(
                    "tutorials/from-kafka.md",
                    Map.of(
                            "KAFKA",
                            at,
                            "JARS",
                            clientJars() + File.pathSeparator + KAFKA.resolve("lib") + "/*",
                            "TALOS_ENDPOINT",
                            server.uri().toString()));

            assertThat(printed)
                    .contains("bridged ", "\"kafka-offset\":\"0\"", "\"source\":\"shop 0\"", "\"key\":\"key-0\"")
                    .containsPattern("0 +40 +100 +60")
                    .containsPattern("2 +100 +100 +0");
            assertThat(directory.resolve("positions.sh")).hasContent("""
                    bin/talos group reset orders billing --partition 0 --to 40 --execute
                    bin/talos group reset orders billing --partition 2 --to 100 --execute
                    """);
            assertThat(run.script(
                            "bin/talos get orders --partition 1 --format ndjson | sed -n 3p",
                            Map.of("TALOS_ENDPOINT", server.uri().toString())))
                    .contains("\"kafka-value\":\"null\"", "\"key\":\"key-7\"");
        }
    }

    @Test
    void threeServers() throws Exception {
        PageRun run = new PageRun(directory);
        try {
            String printed = run.page("tutorials/three-servers.md", Map.of());

            assertThat(printed).contains("restarted 3 servers; no partition moved", "server-2 is drained");
        } finally {
            run.script("bin/talos devcluster down", Map.of());
        }
    }
}
