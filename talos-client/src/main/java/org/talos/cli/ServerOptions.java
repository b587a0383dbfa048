// SPDX-License-Identifier: Apache-2.0
package org.talos.cli;

import java.io.IOException;
import java.io.Reader;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import org.talos.client.TalosAdmin;
import org.talos.client.TalosEndpoint;
import picocli.CommandLine.Option;

/**
 * Which server a command talks to, and as whom. A secret is never an argument: others could read it there. Confined:
 * one command.
 */
final class ServerOptions {
    private static final String CREDENTIALS_FILE = "admin.credentials";

    @Option(
            names = "--endpoint",
            defaultValue = "${env:TALOS_ENDPOINT:-http://127.0.0.1:8080}",
            description = "Where the server is (${DEFAULT-VALUE}; or TALOS_ENDPOINT).")
    private URI endpoint = URI.create("http://127.0.0.1:8080");

    @Option(
            names = "--credentials",
            description = "File with the lines accessKey=… and secretKey=…; else TALOS_ACCESS_KEY and TALOS_SECRET_KEY,"
                    + " else admin.credentials of the data directory.")
    private @Nullable Path credentials;

    TalosEndpoint endpoint() throws CommandFailure {
        String key = System.getenv("TALOS_ACCESS_KEY");
        String secret = System.getenv("TALOS_SECRET_KEY");
        if (credentials == null && key != null && secret != null) {
            return new TalosEndpoint(endpoint, key, secret);
        }
        return read(file());
    }

    private Path file() throws CommandFailure {
        if (credentials != null) {
            return credentials;
        }
        String data = Optional.ofNullable(System.getenv("TALOS_DATADIRECTORY")).orElse("data");
        Path file = Path.of(data, CREDENTIALS_FILE);
        if (!Files.exists(file)) {
            throw new CommandFailure(
                    "no credentials: give --credentials FILE, or TALOS_ACCESS_KEY and TALOS_SECRET_KEY");
        }
        return file;
    }

    private TalosEndpoint read(Path file) throws CommandFailure {
        Properties lines = new Properties();
        try (Reader in = Files.newBufferedReader(file)) {
            lines.load(in);
        } catch (IOException e) {
            throw new CommandFailure("credentials can't be read: " + e.getMessage());
        }
        String key = lines.getProperty("accessKey");
        String secret = lines.getProperty("secretKey");
        if (key == null || secret == null) {
            throw new CommandFailure(file + ": expected the lines accessKey=… and secretKey=…");
        }
        return new TalosEndpoint(endpoint, key, secret);
    }

    TalosAdmin admin() throws CommandFailure {
        return new TalosAdmin(endpoint());
    }
}
