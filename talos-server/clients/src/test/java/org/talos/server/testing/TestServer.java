// SPDX-License-Identifier: Apache-2.0
package org.talos.server.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.function.UnaryOperator;
import org.talos.client.TalosClient;
import org.talos.client.TalosEndpoint;
import org.talos.client.admin.TalosAdmin;
import org.talos.server.TalosServer;
import org.talos.server.config.load.ConfigLoader;
import org.talos.server.runtime.time.SystemTime;
import org.talos.server.storage.journal.JournalFiles;

/** A server in this JVM, on a free port, and its administrator. Confined: the test. */
public final class TestServer implements AutoCloseable {
    private final TalosServer server;
    private final Path data;

    private TestServer(TalosServer server, Path data) {
        this.server = server;
        this.data = data;
    }

    /** Starts one on a data directory; settings are environment variables without the prefix. */
    public static TestServer start(Path data, Map<String, String> settings) throws Exception {
        return start(data, settings, SystemTime.wallClock());
    }

    /** The same by another clock than the machine's. */
    public static TestServer start(Path data, Map<String, String> settings, InstantSource clock) throws Exception {
        return start(data, settings, clock, files -> files);
    }

    /** The same with journals whose writes may fail. */
    public static TestServer start(
            Path data, Map<String, String> settings, InstantSource clock, UnaryOperator<JournalFiles> journals)
            throws Exception {
        Map<String, String> environment = new HashMap<>();
        environment.put("TALOS_DATADIRECTORY", data.toString());
        environment.put("TALOS_HTTP_PORT", "0");
        environment.put("TALOS_MANAGEMENT_PORT", "0");
        environment.put("TALOS_SERVICE_SHUTDOWNGRACE", "2s"); // a tenth of it is waited for clients' idle connections
        settings.forEach((name, value) -> environment.put("TALOS_" + name, value));
        return new TestServer(
                TalosServer.start(ConfigLoader.load(environment), clock, SystemTime.ticker(), journals), data);
    }

    /** Returns its address. */
    public URI uri() {
        return URI.create("http://127.0.0.1:" + server.port());
    }

    /** Returns its address for operators. */
    public URI managementUri() {
        return URI.create("http://127.0.0.1:" + server.managementPort().orElseThrow());
    }

    /** Returns its address, with the key of its administrator. */
    public TalosEndpoint endpoint() throws Exception {
        return endpoint(uri(), data);
    }

    /** A server's administrator, by the file that its first start has written. */
    public static TalosEndpoint endpoint(URI uri, Path data) throws Exception {
        Properties credentials = new Properties();
        try (var in = Files.newBufferedReader(data.resolve("admin.credentials"))) {
            credentials.load(in);
        }
        return new TalosEndpoint(uri, credentials.getProperty("accessKey"), credentials.getProperty("secretKey"));
    }

    /** Its administration. */
    public TalosAdmin admin() throws Exception {
        return new TalosAdmin(new TalosClient(endpoint()).once());
    }

    /** Closes it. Whatever test stops a server finds memory that the server has forgotten to release. */
    @Override
    public void close() {
        server.close();
        assertThat(server.reservedBytes())
                .as("bytes of requests that nobody has released")
                .isZero();
    }
}
