// SPDX-License-Identifier: Apache-2.0
package org.talos.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A server in a network of its own, that clients reach at an address which is not this machine's, as over Docker's
 * bridge.
 */
@Tag("full") // processes
@Tag("servers")
@Timeout(120)
class BridgeIT {
    private static final String NETWORK = "ip link set lo up && ip addr add 172.17.0.1/16 dev lo && curl --version";

    @TempDir
    private Path folder;

    @BeforeEach
    void requireNamespaces() throws Exception {
        assumeTrue(
                ends(inNamespace(NETWORK), "probe") == 0,
                "a network namespace needs unshare, ip and curl (Debian: util-linux, iproute2, curl): left out");
    }

    private static ProcessBuilder inNamespace(String script) {
        return new ProcessBuilder("unshare", "--user", "--map-root-user", "--net", "bash", "-ec", script);
    }

    private int ends(ProcessBuilder command, String output) throws InterruptedException {
        try {
            Process process = command.redirectErrorStream(true)
                    .redirectOutput(folder.resolve(output).toFile())
                    .start();
            try {
                assertThat(process.waitFor(90, TimeUnit.SECONDS)).isTrue();
                return process.exitValue();
            } finally {
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly();
            }
        } catch (IOException e) {
            return -1; // there is no such program
        }
    }

    /** The status of a request with key and secret in the clear, from an address of the network. */
    private String status(String plainCredentialsFrom) throws Exception {
        Path data = folder.resolve("data");
        String script = NETWORK + " > /dev/null\n" + """
                : > "$OUT"
                "$JAVA" -Xmx256m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 org.talos.server.Main > "$OUT" 2>&1 &
                server=$!
                until grep -q 'talos: serving' "$OUT"; do sleep 0.2; kill -0 $server; done
                . "$TALOS_DATADIRECTORY/admin.credentials"
                curl --silent --output /dev/null --write-out 'status %{http_code}\\n' --interface 172.17.0.1 \\
                    --user "$accessKey:$secretKey" http://172.17.0.1:8080/v1/topics
                kill $server
                wait $server || true
                """;
        ProcessBuilder command = inNamespace(script);
        command.environment().keySet().removeIf(name -> name.startsWith("TALOS_"));
        command.environment()
                .put(
                        "JAVA",
                        Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.environment().put("CLASSPATH", System.getProperty("java.class.path"));
        command.environment().put("OUT", folder.resolve("server.out").toString());
        command.environment().put("TALOS_DATADIRECTORY", data.toString());
        command.environment().put("TALOS_HTTP_HOST", "172.17.0.1");
        command.environment().put("TALOS_HTTP_PLAINCREDENTIALSFROM", plainCredentialsFrom);
        int code = ends(command, "script.out");
        String said = Files.readString(folder.resolve("script.out"), UTF_8);
        assertThat(code).as(said).isZero();
        return said.lines()
                .filter(line -> line.startsWith("status "))
                .findFirst()
                .orElse(said);
    }

    @Test
    void keyAndSecretOverTheBridgeAreTakenOnceItsNetworkIsNamed() throws Exception {
        assertThat(status("")).isEqualTo("status 401");
        assertThat(status("172.17.0.1")).isEqualTo("status 200");
    }
}
