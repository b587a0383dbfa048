// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest;

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
import org.talos.server.testing.TestServer;

/** The commands of docs/rest.md, as a reader would paste them. Needs bash and curl. */
@Timeout(60)
class RestPageIT {
    private static final Pattern BLOCK = Pattern.compile("(?ms)^```sh\\n(.*?)^```$");

    @TempDir
    private Path directory;

    @Test
    void everyCommandOfThePageSucceeds() throws Exception {
        Path page = Path.of(System.getProperty("talos.root"), "docs/rest.md");
        List<String> blocks = BLOCK.matcher(Files.readString(page))
                .results()
                .map(block -> block.group(1))
                .toList();
        assertThat(blocks).hasSizeGreaterThan(7).first().asString().contains("admin.credentials");
        Path script = Files.writeString(
                directory.resolve("page.sh"), "set -euo pipefail\n" + String.join("\necho\n", blocks));

        try (TestServer server = TestServer.start(directory.resolve("data"), Map.of())) {
            ProcessBuilder bash = new ProcessBuilder("bash", script.toString())
                    .directory(directory.toFile())
                    .redirectErrorStream(true);
            bash.environment().put("TALOS_URL", server.uri().toString());
            Process run = bash.start();
            String output = new String(run.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

            assertThat(run.waitFor(30, TimeUnit.SECONDS)).isTrue();
            assertThat(run.exitValue()).as(output).isZero();
            assertThat(output)
                    .contains(
                            "\"partition\":", "order-19", "any bytes", "HTTP/1.1 200 OK", "retentionSeconds\":172800");
        }
    }
}
