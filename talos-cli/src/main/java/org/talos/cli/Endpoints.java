// SPDX-License-Identifier: Apache-2.0
package org.talos.cli;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import org.talos.client.ServerAddress;

/** Reads the endpoints of servers as users type them. Immutable. */
public final class Endpoints {
    private Endpoints() {}

    /**
     * Returns the endpoints in a text, separated by commas.
     *
     * @throws CommandException one of them is no URL of a server
     */
    public static List<URI> of(String text) throws CommandException {
        return of(List.of(text.split(",", -1)));
    }

    /**
     * Returns the endpoints in texts.
     *
     * @throws CommandException one of them is no URL of a server
     */
    public static List<URI> of(List<String> texts) throws CommandException {
        List<URI> uris = new ArrayList<>();
        for (String each : texts) {
            try {
                uris.add(ServerAddress.of(each));
            } catch (IllegalArgumentException e) {
                throw new CommandException(String.valueOf(e.getMessage()), e);
            }
        }
        return uris;
    }
}
