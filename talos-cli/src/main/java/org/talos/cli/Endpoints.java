// SPDX-License-Identifier: Apache-2.0
package org.talos.cli;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Reads the endpoints of servers as users type them. Immutable. */
public final class Endpoints {
    private static final Set<String> SCHEMES = Set.of("http", "https");

    private Endpoints() {}

    /**
     * The endpoints in a text, in which commas are between them.
     *
     * @throws CommandException one of them is no URL of a server
     */
    public static List<URI> of(String text) throws CommandException {
        List<URI> uris = new ArrayList<>();
        for (String each : text.split(",", -1)) {
            uris.add(endpoint(each.strip()));
        }
        return uris;
    }

    private static URI endpoint(String text) throws CommandException {
        try {
            return required(URI.create(text));
        } catch (IllegalArgumentException e) {
            throw new CommandException("endpoint " + text + ": no URL (expected: one like http://127.0.0.1:8080)", e);
        }
    }

    /** The endpoint itself, if it is one. */
    static URI required(URI uri) throws CommandException {
        if (uri.getHost() == null || uri.getScheme() == null || !SCHEMES.contains(uri.getScheme())) {
            throw new CommandException(
                    "endpoint " + uri + ": scheme and host are missing, as in http://127.0.0.1:8080");
        }
        return uri;
    }
}
