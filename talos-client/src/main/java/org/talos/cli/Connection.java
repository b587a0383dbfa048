// SPDX-License-Identifier: Apache-2.0
package org.talos.cli;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.talos.client.TalosEndpoint;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * The options that say which server is called, and by whom. A secret comes from the environment or from a file: an
 * argument would be seen by every user of the machine.
 *
 * <p>Confined: the main thread.
 */
public final class Connection {
    private static final String ACCESS_KEY = "TALOS_ACCESS_KEY";
    private static final String SECRET_KEY = "TALOS_SECRET_KEY";

    @Option(
            names = "--endpoint",
            paramLabel = "URL",
            description = "Server to call. Environment: TALOS_ENDPOINT. Default: http://127.0.0.1:8080")
    private Optional<URI> endpoint = Optional.empty();

    @Option(
            names = "--credentials",
            paramLabel = "FILE",
            description =
                    "Two lines: accessKey=... and secretKey=... Default: TALOS_ACCESS_KEY and TALOS_SECRET_KEY of "
                            + "the environment, else data/admin.credentials of this project, which the first start of a server "
                            + "writes")
    private Optional<Path> credentials = Optional.empty();

    @Mixin
    private Output output = new Output();

    /** The server and the caller. */
    public TalosEndpoint endpoint(Surroundings surroundings) throws CommandException {
        Map<String, String> environment = surroundings.environment();
        URI uri = endpoint.orElseGet(
                () -> URI.create(environment.getOrDefault("TALOS_ENDPOINT", "http://127.0.0.1:8080")));
        if (uri.getHost() == null || uri.getScheme() == null) {
            throw new CommandException(
                    "endpoint " + uri + ": scheme and host are missing, as in http://127.0.0.1:8080");
        }
        if (credentials.isEmpty() && environment.containsKey(ACCESS_KEY) && environment.containsKey(SECRET_KEY)) {
            return new TalosEndpoint(uri, environment.get(ACCESS_KEY), environment.get(SECRET_KEY));
        }
        return fromFile(uri, credentials.orElse(surroundings.dataDirectory().resolve("admin.credentials")));
    }

    /** A server, and the caller that a file of credentials names. */
    public static TalosEndpoint fromFile(URI uri, Path file) throws CommandException {
        Map<String, String> lines = new HashMap<>();
        try {
            for (String line : Files.readAllLines(file)) {
                int equals = line.indexOf('=');
                if (equals > 0) {
                    lines.put(
                            line.substring(0, equals).strip(),
                            line.substring(equals + 1).strip());
                }
            }
        } catch (IOException e) {
            throw new CommandException(
                    "no credentials: " + file + " can't be read (give --credentials FILE, or " + ACCESS_KEY + " and "
                            + SECRET_KEY + " in the environment)",
                    e);
        }
        String accessKey = lines.getOrDefault("accessKey", "");
        String secretKey = lines.getOrDefault("secretKey", "");
        if (accessKey.isEmpty() || secretKey.isEmpty()) {
            throw new CommandException("no credentials: " + file + " lacks a line accessKey=... or secretKey=...");
        }
        return new TalosEndpoint(uri, accessKey, secretKey);
    }

    /** How the command tells what it found. */
    public Output output() {
        return output;
    }
}
