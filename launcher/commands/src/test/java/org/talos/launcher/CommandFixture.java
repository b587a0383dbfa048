// SPDX-License-Identifier: Apache-2.0
package org.talos.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import org.talos.cli.CommandContext;
import org.talos.cli.Connection;
import org.talos.client.TalosEndpoint;
import org.talos.server.TalosServer;
import org.talos.server.config.load.ConfigLoader;
import picocli.CommandLine;

/** A server, and the command against it, as its administrator. Confined: to a test. */
final class CommandFixture implements AutoCloseable {
    private final Path home;
    private final TalosServer server;
    private final StringWriter err = new StringWriter();

    CommandFixture(Path home) throws Exception {
        this.home = home;
        server = TalosServer.start(ConfigLoader.load(Map.of(
                "TALOS_DATADIRECTORY",
                home.resolve("data").toString(),
                "TALOS_HTTP_PORT",
                "0",
                "TALOS_MANAGEMENT_PORT",
                "0")));
    }

    URI uri() {
        return URI.create("http://127.0.0.1:" + server.port());
    }

    URI managementUri() {
        return URI.create("http://127.0.0.1:" + server.managementPort().orElseThrow());
    }

    TalosEndpoint endpoint() throws Exception {
        return Connection.fromFile(uri(), home.resolve("data/admin.credentials"));
    }

    /** Runs a command, which must succeed, and returns its output. */
    String talos(String... arguments) {
        return piped("", arguments);
    }

    String piped(String in, String... arguments) {
        return new String(piped(in.getBytes(StandardCharsets.UTF_8), arguments), StandardCharsets.UTF_8);
    }

    byte[] piped(byte[] in, String... arguments) {
        var out = new ByteArrayOutputStream();
        assertThat(run(new ByteArrayInputStream(in), out, arguments))
                .as("%s", err)
                .isZero();
        return out.toByteArray();
    }

    /** The document that a command printed. */
    JsonNode json(String... arguments) throws JsonProcessingException {
        String[] all = Arrays.copyOf(arguments, arguments.length + 2);
        all[arguments.length] = "-o";
        all[arguments.length + 1] = "json";
        return new JsonMapper().readTree(talos(all));
    }

    /** The exit code of a command that may fail. */
    int code(String... arguments) {
        return run(InputStream.nullInputStream(), OutputStream.nullOutputStream(), arguments);
    }

    int run(InputStream in, OutputStream out, String... arguments) {
        var context = new CommandContext(Map.of("TALOS_ENDPOINT", uri().toString()), in, out, home, false);
        CommandLine command = Main.commandLine(context);
        command.setErr(new PrintWriter(err, true));
        return command.execute(arguments);
    }

    /** Returns the text that commands wrote to standard error since the last call. */
    String err() {
        String written = err.toString();
        err.getBuffer().setLength(0);
        return written;
    }

    @Override
    public void close() {
        server.close();
    }
}
