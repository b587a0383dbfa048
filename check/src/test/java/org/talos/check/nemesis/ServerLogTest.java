// SPDX-License-Identifier: Apache-2.0
package org.talos.check.nemesis;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Locale;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(30)
class ServerLogTest {
    private static final String TOPIC = "0123456789abcdef0123456789abcdef";
    private static final String LOG = String.format(Locale.ROOT, """
            2026-11-22T20:00:00.000Z INFO  TopicDeletions topic deleted topic=again topicId=%1$s
            2026-11-22T20:00:01.500Z WARN  PartitionLog segment not sealed segment=%1$s/0
            java.io.IOException: it is missing
            \tat org.talos.server.log.PartitionLog.seal(PartitionLog.java:1)
            \t... 12 common frames omitted
            Caused by: java.io.FileNotFoundException: gone
            \tat java.base/java.io.File.open(File.java:1)
            2026-11-22T20:00:01.800Z INFO  Hdfs file not closed segment=%1$s/0 cause=RemoteException
            \tat org.apache.hadoop.hdfs.server.namenode.FSNamesystem.checkLease(FSNamesystem.java:1)
            2026-11-22T20:00:02.000Z WARN  PartitionLog segment not sealed segment=another
            java.io.IOException: it is missing
            \tat org.talos.server.log.PartitionLog.seal(PartitionLog.java:1)
            """, TOPIC);

    @TempDir
    private Path folder;

    @Test
    void stackTraceThatNamesTheTopicIsFoundWithoutItsFrames() throws Exception {
        Path log = Files.writeString(folder.resolve("server-0.log"), LOG);

        assertThat(ServerLog.traces(log, Set.of(TOPIC))).singleElement().satisfies(trace -> {
            assertThat(trace.wall())
                    .isEqualTo(Instant.parse("2026-11-22T20:00:01.500Z").toEpochMilli());
            assertThat(trace.lines())
                    .containsExactly(
                            "2026-11-22T20:00:01.500Z WARN  PartitionLog segment not sealed segment=" + TOPIC + "/0",
                            "java.io.IOException: it is missing",
                            "Caused by: java.io.FileNotFoundException: gone");
        });
        assertThat(ServerLog.traces(log, Set.of("another topic"))).isEmpty();
    }
}
