// SPDX-License-Identifier: Apache-2.0
package org.talos.cli;

import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.talos.client.admin.NewCredential;

/**
 * Named servers with the user's credentials there: a key of its own, or a credentials file. Immutable.
 *
 * @param endpoints of the servers, one or more
 * @param key kept in the profile; never shown
 * @param credentials absolute path of a file that has the key; given if {@code key} is not
 */
public record Profile(String name, List<URI> endpoints, Optional<NewCredential> key, Optional<Path> credentials) {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}");
    private static final String ENDPOINT = "endpoint";
    private static final String CREDENTIALS = "credentials";
    private static final String ACCESS_KEY = "accessKey";
    private static final String SECRET_KEY = "secretKey";

    public Profile {
        endpoints = List.copyOf(endpoints);
        if (endpoints.isEmpty() || key.isPresent() == credentials.isPresent()) {
            throw new IllegalArgumentException("profile (expected: endpoints, and either a key or a file)");
        }
    }

    /** Refuses a text that cannot be the name of a profile and of its file. */
    static void requireName(String name) throws CommandException {
        if (!NAME.matcher(name).matches()) {
            throw CommandException.usage(
                    "'" + name + "' cannot be a profile's name (expected: 1 to 64 of [A-Za-z0-9._-],"
                            + " the first one a letter or digit)");
        }
    }

    /** Reads a profile from the lines of its file. */
    static Profile of(String name, Map<String, String> lines, Path file) throws CommandException {
        String accessKey = lines.getOrDefault(ACCESS_KEY, "");
        String secretKey = lines.getOrDefault(SECRET_KEY, "");
        String credentials = lines.getOrDefault(CREDENTIALS, "");
        boolean hasKey = !accessKey.isEmpty() && !secretKey.isEmpty();
        if (lines.getOrDefault(ENDPOINT, "").isEmpty() || hasKey != credentials.isEmpty()) {
            throw new CommandException(
                    "profile " + name + ": " + file + " lacks endpoint=..., or one of credentials=..."
                            + " and both accessKey=... and secretKey=... (add it again: talos profile add " + name
                            + " --replace)");
        }
        return new Profile(
                name,
                Endpoints.of(lines.getOrDefault(ENDPOINT, "")),
                hasKey ? Optional.of(new NewCredential(accessKey, secretKey)) : Optional.empty(),
                hasKey ? Optional.empty() : Optional.of(Path.of(credentials)));
    }

    /** Returns the lines of its file, including a secret. */
    List<String> lines() {
        List<String> lines = new ArrayList<>();
        lines.add(ENDPOINT + "=" + joined());
        credentials.ifPresent(file -> lines.add(CREDENTIALS + "=" + file));
        key.ifPresent(
                own -> lines.addAll(List.of(ACCESS_KEY + "=" + own.accessKey(), SECRET_KEY + "=" + own.secretKey())));
        return lines;
    }

    /** Returns the endpoints as users type them. */
    public String joined() {
        return endpoints.stream().map(URI::toString).collect(Collectors.joining(","));
    }

    /**
     * Returns the key that it stands for.
     *
     * @throws CommandException the file that has it cannot be read
     */
    NewCredential readKey() throws CommandException {
        return key.isPresent() ? key.get() : Connection.readKey(credentials.orElseThrow());
    }

    /**
     * Returns the access key that it stands for, which is not a secret.
     *
     * @throws CommandException the file that has it cannot be read
     */
    public String accessKey() throws CommandException {
        return readKey().accessKey();
    }

    /** Returns the same without secrets. */
    @Override
    public String toString() {
        return "Profile[name=" + name + ", endpoints=" + joined()
                + Stream.of(credentials)
                        .flatMap(Optional::stream)
                        .map(file -> ", credentials=" + file)
                        .collect(Collectors.joining())
                + "]";
    }
}
