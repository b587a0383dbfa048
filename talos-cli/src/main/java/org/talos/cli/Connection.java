// SPDX-License-Identifier: Apache-2.0
package org.talos.cli;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.talos.client.ClientConfig;
import org.talos.client.TalosClient;
import org.talos.client.TalosEndpoint;
import org.talos.client.Transport;
import org.talos.client.admin.NewCredential;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * The options for the servers and the key to call them with. A secret comes from the environment or a file, because
 * every user of the machine can see arguments.
 *
 * <p>Confined: the main thread.
 */
public final class Connection {
    private static final String ACCESS_KEY = "TALOS_ACCESS_KEY";
    private static final String SECRET_KEY = "TALOS_SECRET_KEY";
    private static final String ENDPOINT = "TALOS_ENDPOINT";

    @Option(
            names = "--profile",
            paramLabel = "NAME",
            description =
                    "Servers and key under a name that 'talos profile add' gave them. Environment: TALOS_PROFILE. "
                            + "Default: the one in use, unless the environment or --endpoint names servers or a key")
    private Optional<String> profile = Optional.empty();

    @Option(
            names = "--endpoint",
            split = ",",
            paramLabel = "URL",
            description = "Server to call, or several of a cluster: if one does not answer, the next is called. "
                    + "Environment: TALOS_ENDPOINT. Default: those of the profile, else http://127.0.0.1:8080")
    private List<String> endpoints = List.of(); // texts, as an invalid URL may have a password

    @Option(
            names = "--credentials",
            paramLabel = "FILE",
            description =
                    "Two lines: accessKey=... and secretKey=... Default: the key of the profile, else TALOS_ACCESS_KEY "
                            + "and TALOS_SECRET_KEY of the environment, else admin.credentials, which the first "
                            + "start of a server writes, of TALOS_DATADIRECTORY or of data/ of this project")
    private Optional<Path> credentials = Optional.empty();

    @Mixin
    private Output output = new Output();

    /**
     * Returns a client. With a single server each call is made once, so that a missing server is reported immediately.
     */
    public TalosClient client(CommandContext context) throws CommandException {
        return client(context, Transport.CALLS);
    }

    /** Such a client with a transport of puts and gets. */
    public TalosClient client(CommandContext context, Transport transport) throws CommandException {
        ClientConfig config = config(context).withTransport(transport);
        return new TalosClient(config.endpoints().size() == 1 ? config.withDeadline(Duration.ZERO) : config);
    }

    /** Returns a client without retries and with a timeout of its own, for requests in the background. */
    public TalosClient noRetryClient(CommandContext context, Duration timeout) throws CommandException {
        return new TalosClient(config(context).withDeadline(Duration.ZERO).withTimeout(timeout));
    }

    /** Returns a client that repeats calls, also while a server restarts, with a transport of puts and gets. */
    public TalosClient patient(CommandContext context, Transport transport) throws CommandException {
        return new TalosClient(config(context).withTransport(transport));
    }

    private ClientConfig config(CommandContext context) throws CommandException {
        List<TalosEndpoint> servers = endpoints(context);
        return ClientConfig.of(servers.get(0))
                .withEndpoints(servers.stream().map(TalosEndpoint::uri).toList());
    }

    /** Returns the endpoints of the servers, one or more. */
    public List<TalosEndpoint> endpoints(CommandContext context) throws CommandException {
        Optional<Profile> chosen = chosen(context);
        List<TalosEndpoint> servers = new ArrayList<>();
        for (URI uri : uris(chosen, context.environment())) {
            servers.add(endpoint(uri, chosen, context));
        }
        return servers;
    }

    /**
     * Returns the named profile, otherwise the one in use. The one in use is ignored if servers or a key are given in
     * another way, because its key is for its own servers.
     */
    private Optional<Profile> chosen(CommandContext context) throws CommandException {
        Profiles profiles = new Profiles(context);
        Optional<String> named = profile.or(profiles::ofEnvironment);
        if (named.isPresent()) {
            return Optional.of(profiles.read(named.get()));
        }
        if (!endpoints.isEmpty() || isGiven(context.environment())) {
            return Optional.empty();
        }
        Optional<String> used = profiles.used();
        return used.isPresent() ? Optional.of(profiles.read(used.get())) : Optional.empty();
    }

    /** Returns whether the environment names a server or a user; half a key counts too, and is refused. */
    private static boolean isGiven(Map<String, String> environment) {
        return named(environment).isPresent()
                || environment.containsKey(ACCESS_KEY)
                || environment.containsKey(SECRET_KEY);
    }

    private static Optional<String> named(Map<String, String> environment) {
        return Optional.of(environment.getOrDefault(ENDPOINT, "")).filter(endpoint -> !endpoint.isBlank());
    }

    private List<URI> uris(Optional<Profile> chosen, Map<String, String> environment) throws CommandException {
        if (!endpoints.isEmpty()) {
            return Endpoints.of(endpoints);
        }
        return chosen.isPresent()
                ? chosen.get().endpoints()
                : Endpoints.of(named(environment).orElse("http://127.0.0.1:8080"));
    }

    private TalosEndpoint endpoint(URI uri, Optional<Profile> chosen, CommandContext context) throws CommandException {
        if (credentials.isPresent()) {
            return fromFile(uri, credentials.get());
        }
        if (chosen.isPresent()) {
            NewCredential key = chosen.get().readKey();
            return new TalosEndpoint(uri, key.accessKey(), key.secretKey());
        }
        Map<String, String> environment = context.environment();
        return environment.containsKey(ACCESS_KEY) || environment.containsKey(SECRET_KEY)
                ? fromEnvironment(uri, environment)
                : fromFile(uri, context.dataDirectory().resolve("admin.credentials"));
    }

    /** Refuses half a key: a user who has set it must not act as the administrator of the default file. */
    private static TalosEndpoint fromEnvironment(URI uri, Map<String, String> environment) throws CommandException {
        String accessKey = environment.getOrDefault(ACCESS_KEY, "");
        String secretKey = environment.getOrDefault(SECRET_KEY, "");
        if (accessKey.isEmpty() || secretKey.isEmpty()) {
            throw new CommandException("no credentials: " + (accessKey.isEmpty() ? ACCESS_KEY : SECRET_KEY)
                    + " is empty or not set (set both " + ACCESS_KEY + " and " + SECRET_KEY
                    + ", or neither, or give --credentials FILE)");
        }
        return new TalosEndpoint(uri, accessKey, secretKey);
    }

    /** Returns the endpoint of a server with the key from a credentials file. */
    public static TalosEndpoint fromFile(URI uri, Path file) throws CommandException {
        NewCredential key = readKey(file);
        return new TalosEndpoint(uri, key.accessKey(), key.secretKey());
    }

    /** Returns the key in a credentials file. */
    public static NewCredential readKey(Path file) throws CommandException {
        Map<String, String> lines;
        try {
            lines = NamedLines.read(file);
        } catch (IOException e) {
            throw new CommandException(
                    "no credentials: " + file + " cannot be read (give --credentials FILE, a --profile, or "
                            + ACCESS_KEY
                            + " and " + SECRET_KEY + " in the environment; the first start of a server writes its"
                            + " admin.credentials)",
                    e);
        }
        String accessKey = lines.getOrDefault("accessKey", "");
        String secretKey = lines.getOrDefault("secretKey", "");
        if (accessKey.isEmpty() || secretKey.isEmpty()) {
            throw new CommandException("no credentials: " + file + " lacks a line accessKey=... or secretKey=...");
        }
        return new NewCredential(accessKey, secretKey);
    }

    /** Returns the options for the output. */
    public Output output() {
        return output;
    }
}
