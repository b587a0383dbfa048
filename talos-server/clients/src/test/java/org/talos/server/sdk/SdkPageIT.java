// SPDX-License-Identifier: Apache-2.0
package org.talos.server.sdk;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.client.TalosEndpoint;
import org.talos.server.testing.TestServer;

/** The programs of docs/sdk.md, compiled and run one after another, as one program. */
@Timeout(90)
class SdkPageIT {
    private static final Pattern BLOCK = Pattern.compile("(?ms)^```java\\n(.*?)^```$");

    /** Parts of what the programs of the page print. */
    private static final List<String> PRINTED = List.of(
            "4 partitions",
            "stored in ",
            " by key",
            "to partition 3",
            "polled by key",
            "polled once",
            "polled third",
            "row 18 is sent",
            "2 events are stored",
            "the consumer has ended",
            "read again: true",
            "committed in the background",
            "paused: true [orders/0]",
            "woken up",
            " bytes ready, a server last answered at ",
            "Grantee[id=ann]",
            " messages",
            "lag of shop: ",
            "3 would go on at 0");

    @TempDir
    private Path directory;

    private static String program(List<String> blocks) {
        StringBuilder program = new StringBuilder("""
                import java.net.URI;
                import java.nio.file.*;
                import java.time.*;
                import java.util.*;
                import java.util.concurrent.*;
                import org.talos.client.*;
                import org.talos.client.admin.*;
                import org.talos.client.consumer.*;
                import org.talos.client.producer.*;
                import org.talos.server.TalosServer;

                public class Page {
                    public static void main(String[] arguments) throws Exception {
                        URI endpoint = URI.create(System.getenv("PAGE_ENDPOINT"));
                        String accessKey = System.getenv("PAGE_KEY");
                        String secretKey = System.getenv("PAGE_SECRET");
                """).append(blocks.get(0));
        blocks.stream()
                .skip(1)
                .forEach(block -> program.append("{\n").append(block).append("}\n"));
        return program.append("}}\n").toString();
    }

    @Test
    void programsOfThePageDoWhatTheySay() throws Exception {
        Path page = Path.of(System.getProperty("talos.root"), "docs/sdk.md");
        List<String> blocks = BLOCK.matcher(Files.readString(page))
                .results()
                .map(block -> block.group(1))
                .toList();
        assertThat(blocks).hasSizeGreaterThan(4);
        Path source = Files.writeString(directory.resolve("Page.java"), program(blocks));

        try (TestServer server = TestServer.start(directory.resolve("data"), Map.of())) {
            TalosEndpoint endpoint = server.endpoint();
            ProcessBuilder java = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-XX:+UseSerialGC",
                            "-XX:TieredStopAtLevel=1",
                            "-cp",
                            System.getProperty("java.class.path"),
                            source.toString())
                    .redirectErrorStream(true);
            java.environment().put("PAGE_ENDPOINT", endpoint.uri().toString());
            java.environment().put("PAGE_KEY", endpoint.accessKey());
            java.environment().put("PAGE_SECRET", endpoint.secretKey());
            Process run = java.start();
            String output = new String(run.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

            assertThat(run.waitFor(30, TimeUnit.SECONDS)).isTrue();
            assertThat(run.exitValue()).as(output).isZero();
            assertThat(output).contains(PRINTED);
        }
    }
}
