// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.management;

import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The host names that the port accepts. A page from anywhere can let a name of its own resolve to this address, and
 * then read the answers that its browser gets. Such a request has that name in its {@code Host}. Addresses cannot be
 * abused in this way, and browsers send no request without {@code Host}.
 *
 * <p>Immutable.
 */
final class HostNames {
    private static final Pattern ADDRESS = Pattern.compile("[0-9.]+|\\[?[0-9a-fA-F:.]*:[0-9a-fA-F:.]*]?");

    private final Set<String> names;

    HostNames(Set<String> names) {
        Set<String> lower = new TreeSet<>();
        names.forEach(name -> lower.add(name.toLowerCase(Locale.ROOT)));
        lower.add("localhost");
        this.names = Set.copyOf(lower);
    }

    /** Returns whether a request may name this host; null if it names none. */
    boolean has(@Nullable String host) {
        return host == null
                || host.isEmpty()
                || ADDRESS.matcher(host).matches()
                || names.contains(host.toLowerCase(Locale.ROOT));
    }
}
