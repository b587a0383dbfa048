// SPDX-License-Identifier: Apache-2.0
package org.talos.server.config;

import static org.talos.server.config.Checks.inRange;
import static org.talos.server.config.Checks.notBlank;

import java.time.Duration;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.talos.common.name.HostAndPort;
import org.talos.server.config.address.AddressRanges;

/**
 * The front end: {@code http}. Immutable.
 *
 * @param host address to listen on
 * @param port 0 picks a free one
 * @param advertisedHost host that clients are given; empty means {@code host}
 * @param maxBodyBytes largest body of a request to the message service
 * @param maxControlBodyBytes largest body of a request to any other service
 * @param maxRequestMemoryBytes bodies and answers of all requests in flight; beyond it requests are refused with 503
 * @param workers Jetty's threads, selectors included
 * @param idleTimeout after which a connection without a request is closed
 * @param minBodyBytesPerSecond a slower body is refused after {@code bodyGrace}; 0 means no bound
 * @param bodyGrace how long a body may be below the lowest rate: a busy server or a delayed packet does not make a
 *     client slow
 * @param maxConnections open connections; beyond it none is accepted
 * @param trustedProxies addresses and networks of proxies that are trusted to name the client, separated by commas
 * @param proxyProtocol whether those proxies begin each connection with a header of the PROXY protocol
 * @param plainCredentialsFrom addresses and networks, likewise, from which key and secret are taken without TLS
 * @param corsOrigins origins whose pages may use the server from a browser, separated by commas
 * @param limits of one client
 * @param tls key store and password for TLS, or none
 */
public record HttpConfig(
        String host,
        int port,
        String advertisedHost,
        long maxBodyBytes,
        long maxControlBodyBytes,
        long maxRequestMemoryBytes,
        int workers,
        Duration idleTimeout,
        long minBodyBytesPerSecond,
        Duration bodyGrace,
        int maxConnections,
        String trustedProxies,
        boolean proxyProtocol,
        String plainCredentialsFrom,
        String corsOrigins,
        HttpLimits limits,
        TlsConfig tls) {
    private static final String TRUSTED_PROXIES = "http.trustedProxies";
    private static final String PLAIN_CREDENTIALS_FROM = "http.plainCredentialsFrom";

    /** The form in which browsers write origins: another spelling, or a wildcard, could never match. */
    private static final Pattern ORIGIN =
            Pattern.compile("(http://(?!.*:80$)|https://(?!.*:443$))([a-z0-9.-]+|\\[[0-9a-f:.]+])(:[1-9][0-9]{0,4})?");

    /** Checks every bound. */
    public HttpConfig {
        notBlank("http.host", host);
        inRange("http.port", port, 0, 65_535);
        inRange("http.maxBodyBytes", maxBodyBytes, 1_024, 1L << 30);
        inRange("http.maxControlBodyBytes", maxControlBodyBytes, 1_024, maxBodyBytes);
        inRange("http.maxRequestMemoryBytes", maxRequestMemoryBytes, maxBodyBytes, 1L << 40);
        inRange("http.workers", workers, 4, 10_000);
        inRange("http.idleTimeout", idleTimeout, Duration.ofSeconds(1), Duration.ofHours(1));
        inRange("http.minBodyBytesPerSecond", minBodyBytesPerSecond, 0, 1L << 30);
        inRange("http.bodyGrace", bodyGrace, Duration.ZERO, Duration.ofMinutes(10));
        inRange("http.maxConnections", maxConnections, 1, 1_000_000);
        requireProxies(AddressRanges.parse(TRUSTED_PROXIES, trustedProxies), proxyProtocol);
        var unused = AddressRanges.parse(PLAIN_CREDENTIALS_FROM, plainCredentialsFrom);
        for (String origin : split(corsOrigins)) {
            if (!ORIGIN.matcher(origin).matches()) {
                throw new IllegalArgumentException("http.corsOrigins: " + origin
                        + " (expected: origins as a browser names them, such as https://shop.example.org or"
                        + " http://localhost:5173: no *, no path, lower case, no port that is the scheme's own)");
            }
        }
    }

    private static void requireProxies(AddressRanges proxies, boolean proxyProtocol) {
        if (proxies.hasAll()) {
            throw new IllegalArgumentException(TRUSTED_PROXIES
                    + ": a network of all addresses (expected: proxies; anybody could say who they are)");
        }
        if (proxyProtocol && proxies.isEmpty()) {
            throw new IllegalArgumentException(
                    "http.proxyProtocol: true (expected: " + TRUSTED_PROXIES + ", which says who may send it)");
        }
    }

    /** Returns the proxies that are trusted to name the client. */
    public AddressRanges proxies() {
        return AddressRanges.parse(TRUSTED_PROXIES, trustedProxies);
    }

    /** Returns the networks from which key and secret are taken without TLS. */
    public AddressRanges plainNetworks() {
        return AddressRanges.parse(PLAIN_CREDENTIALS_FROM, plainCredentialsFrom);
    }

    /**
     * Returns where a server with these settings serves, for a person and for the process that started it.
     *
     * @param listening the port, which is another than {@link #port} if that is 0
     */
    public String address(int listening) {
        return (tls.enabled() ? "https://" : "http://") + HostAndPort.of(host, listening);
    }

    /** Returns the host that clients are given. */
    public String clientHost() {
        return advertisedHost.isEmpty() ? host : advertisedHost;
    }

    /** The origins of {@link #corsOrigins}, each for itself. */
    public Set<String> origins() {
        return split(corsOrigins);
    }

    private static Set<String> split(String origins) {
        return Stream.of(origins.split(","))
                .map(String::strip)
                .filter(origin -> !origin.isEmpty())
                .collect(Collectors.toUnmodifiableSet());
    }
}
