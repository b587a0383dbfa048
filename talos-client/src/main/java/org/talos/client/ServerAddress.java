// SPDX-License-Identifier: Apache-2.0
package org.talos.client;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads the address of a server as users and programs write it: {@code http} or {@code https}, a host, and perhaps a
 * port and a path. An IPv6 address stands in brackets. If a proxy serves the server below a path, the address has this
 * path. Requests are sent below the path and signed without it, because the proxy removes it. Immutable.
 */
public final class ServerAddress {
    private static final Set<String> SCHEMES = Set.of("http", "https");
    private static final int MOST_PORT = 65_535;
    private static final String SEPARATOR = "://";
    private static final Pattern PORT = Pattern.compile("\\d*");

    private ServerAddress() {}

    /**
     * Returns the address in a text: its scheme in lower case, and no slash at the end.
     *
     * @throws IllegalArgumentException it is none, for the reason that the message names; a password is not in it
     */
    public static URI of(String text) {
        String stripped = text.strip();
        try {
            return of(new URI(stripped));
        } catch (URISyntaxException e) {
            if (stripped.indexOf('@') >= 0) {
                throw refused(stripped, "no URL: " + e.getReason()); // without the cause, which has the whole text
            }
            String reason = stripped.contains(SEPARATOR) ? "no URL: " + e.getReason() : withoutScheme();
            throw new IllegalArgumentException(sentence(stripped, reason), e);
        }
    }

    /**
     * Returns the address that a URI is: its scheme in lower case, and no slash at the end.
     *
     * @throws IllegalArgumentException it is none, for the reason that the message names; a password is not in it
     */
    public static URI of(URI uri) {
        Optional<String> reason = why(uri);
        if (reason.isPresent()) {
            throw refused(uri.toString(), reason.get());
        }
        String path = uri.getRawPath().replaceFirst("/+$", "");
        return URI.create(uri.getScheme().toLowerCase(Locale.ROOT) + SEPARATOR + uri.getRawAuthority() + path);
    }

    private static IllegalArgumentException refused(String text, String reason) {
        return new IllegalArgumentException(sentence(text, reason));
    }

    private static String sentence(String text, String reason) {
        return "endpoint " + shown(text) + ": " + reason;
    }

    /** Returns the text without the part that may be a password. */
    private static String shown(String text) {
        int behind = text.lastIndexOf('@');
        if (behind < 0) {
            return text.isEmpty() ? "''" : text;
        }
        int scheme = text.indexOf(SEPARATOR);
        return (scheme < 0 || scheme > behind ? "" : text.substring(0, scheme + SEPARATOR.length())) + "***"
                + text.substring(behind);
    }

    private static String withoutScheme() {
        return "http:// or https:// is missing (expected: one like http://127.0.0.1:8080)";
    }

    /** Returns why a URI is not an address of a server; empty if it is one. */
    private static Optional<String> why(URI uri) {
        if (uri.toString().indexOf('@') >= 0) { // at any place: the characters of a password before it may be any
            return Optional.of("a user or password does not belong there (requests are signed with a key, which the"
                    + " command takes from --credentials or a profile, and the SDK from its configuration)");
        }
        String scheme = uri.getScheme();
        if (scheme == null || !uri.toString().contains(SEPARATOR)) {
            return Optional.of(withoutScheme());
        }
        if (!SCHEMES.contains(scheme.toLowerCase(Locale.ROOT))) {
            return Optional.of("the scheme is " + scheme + " (expected: http or https)");
        }
        if (uri.getRawQuery() != null || uri.getRawFragment() != null) {
            return Optional.of("a query or fragment does not belong there");
        }
        return uri.getHost() == null ? Optional.of(withoutHost(uri.getRawAuthority())) : port(uri.getPort());
    }

    private static Optional<String> port(int port) {
        return port == 0 || port > MOST_PORT
                ? Optional.of("port " + port + " (expected: 1 to " + MOST_PORT + ")")
                : Optional.empty();
    }

    /** Returns the mistake in an authority in which Java finds no host. */
    private static String withoutHost(@Nullable String authority) {
        if (authority == null || authority.isEmpty()) {
            return "the host is missing (expected: one like http://127.0.0.1:8080)";
        }
        int colon = authority.indexOf(':');
        if (colon >= 0 && colon != authority.lastIndexOf(':')) {
            return "an IPv6 address stands in brackets, as in http://[::1]:8080";
        }
        String host = colon < 0 ? authority : authority.substring(0, colon);
        if (colon >= 0 && !PORT.matcher(authority.substring(colon + 1)).matches()) {
            return "'" + authority.substring(colon + 1) + "' is not a port (expected: 1 to " + MOST_PORT + ")";
        }
        return host.indexOf('_') >= 0
                ? "the host name " + host + " has an underscore, which Java's HTTP client does not take (expected:"
                        + " another name of that machine, or its IP address)"
                : "'" + host
                        + "' is not a name of a host (expected: letters, digits, hyphens and dots, or an IP address)";
    }
}
