// SPDX-License-Identifier: Apache-2.0
package org.talos.client;

import java.io.IOException;
import java.net.PasswordAuthentication;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import javax.net.ssl.SSLContext;

/**
 * How a client reaches its servers. Immutable; its text has no secret. A time of more than 50 years is one of 50 years.
 *
 * @param endpoints scheme, host and port of one server or several of the same cluster, in order of preference; when one
 *     does not answer the next is used. With a path if a proxy has them below one, see {@link ServerAddress}
 * @param accessKey id of the caller's key
 * @param secretKey secret of that key; signs requests and is never sent
 * @param timeout of one try of a call, answer included
 * @param deadline time after which a call is no longer repeated; zero for calls that are made once. A producer has its
 *     own
 * @param directRouting whether puts and gets go to the partition's owner directly, by the schedule that servers
 *     publish; they do not where an endpoint has a path, as a proxy stands before the servers then
 * @param tls what servers are trusted; empty for what the JVM trusts
 * @param listener for metrics
 * @param transport of puts and gets
 * @param proxyCredentials user and password for the proxies that the JVM's {@link java.net.ProxySelector} names; sent
 *     to those alone, and in no text and no log
 */
public record ClientConfig(
        List<URI> endpoints,
        String accessKey,
        String secretKey,
        Duration timeout,
        Duration deadline,
        boolean directRouting,
        Optional<SSLContext> tls,
        ClientListener listener,
        Transport transport,
        Optional<PasswordAuthentication> proxyCredentials) {
    private static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(10);
    private static final Duration DEFAULT_DEADLINE = Duration.ofSeconds(30);

    /** Refuses values out of range. */
    public ClientConfig {
        endpoints = endpoints.stream().map(ServerAddress::of).toList();
        if (endpoints.isEmpty()) {
            throw new IllegalArgumentException("endpoints: none (expected: 1 or more)");
        }
        timeout = LongestWait.orShorter(timeout);
        deadline = LongestWait.orShorter(deadline);
        requirePositive("timeout", timeout);
        if (deadline.isNegative()) {
            throw new IllegalArgumentException("deadline: " + deadline + " (expected: 0 or longer)");
        }
    }

    /** Returns whether a proxy has servers below a path: the addresses that they publish need not be reachable then. */
    boolean isBelowPath() {
        return endpoints.stream().anyMatch(each -> !each.getRawPath().isEmpty());
    }

    private static void requirePositive(String name, Duration duration) {
        if (duration.isNegative() || duration.isZero()) {
            throw new IllegalArgumentException(name + ": " + duration + " (expected: longer than 0)");
        }
    }

    /** A configuration for one server with defaults: 10 s for a try, 30 s for a call, direct routing. */
    public static ClientConfig of(URI endpoint, String accessKey, String secretKey) {
        return new ClientConfig(
                List.of(endpoint),
                accessKey,
                secretKey,
                DEFAULT_TIMEOUT,
                DEFAULT_DEADLINE,
                true,
                Optional.empty(),
                ClientListener.NONE,
                Transport.CALLS,
                Optional.empty());
    }

    /**
     * A configuration for one server with the defaults, by a key from a file.
     *
     * @param credentials file with {@code accessKey} and {@code secretKey}, as {@code admin.credentials} that a server
     *     writes at its first start
     * @throws IOException the file cannot be read
     * @throws IllegalArgumentException it has no key
     */
    public static ClientConfig of(URI endpoint, Path credentials) throws IOException {
        Properties file = new Properties();
        try (var in = Files.newBufferedReader(credentials)) {
            file.load(in);
        }
        String accessKey = file.getProperty("accessKey");
        String secretKey = file.getProperty("secretKey");
        if (accessKey == null || secretKey == null) {
            throw new IllegalArgumentException(credentials + ": no key (expected: accessKey and secretKey)");
        }
        return of(endpoint, accessKey, secretKey);
    }

    /** The configuration for one endpoint, with its timeout and the other defaults. */
    public static ClientConfig of(TalosEndpoint endpoint) {
        return of(endpoint.uri(), endpoint.accessKey(), endpoint.secretKey()).withTimeout(endpoint.timeout());
    }

    /** This configuration with several servers of the same cluster. */
    public ClientConfig withEndpoints(List<URI> servers) {
        return new ClientConfig(
                servers,
                accessKey,
                secretKey,
                timeout,
                deadline,
                directRouting,
                tls,
                listener,
                transport,
                proxyCredentials);
    }

    /** This configuration with another timeout of each try. */
    public ClientConfig withTimeout(Duration of) {
        return new ClientConfig(
                endpoints,
                accessKey,
                secretKey,
                of,
                deadline,
                directRouting,
                tls,
                listener,
                transport,
                proxyCredentials);
    }

    /** This configuration with another deadline for repetitions; zero for calls that are made once. */
    public ClientConfig withDeadline(Duration of) {
        return new ClientConfig(
                endpoints,
                accessKey,
                secretKey,
                timeout,
                of,
                directRouting,
                tls,
                listener,
                transport,
                proxyCredentials);
    }

    /** This configuration with all calls sent to the endpoints, as is needed behind a proxy. */
    public ClientConfig withoutDirectRouting() {
        return new ClientConfig(
                endpoints, accessKey, secretKey, timeout, deadline, false, tls, listener, transport, proxyCredentials);
    }

    /** This configuration with a TLS context of its own. */
    public ClientConfig withTls(SSLContext context) {
        return new ClientConfig(
                endpoints,
                accessKey,
                secretKey,
                timeout,
                deadline,
                directRouting,
                Optional.of(context),
                listener,
                transport,
                proxyCredentials);
    }

    /** This configuration with a listener for tries and repetitions. */
    public ClientConfig withListener(ClientListener newListener) {
        return new ClientConfig(
                endpoints,
                accessKey,
                secretKey,
                timeout,
                deadline,
                directRouting,
                tls,
                newListener,
                transport,
                proxyCredentials);
    }

    /** This configuration with another transport of puts and gets: {@link Transport#STREAM}, say. */
    public ClientConfig withTransport(Transport of) {
        return new ClientConfig(
                endpoints, accessKey, secretKey, timeout, deadline, directRouting, tls, listener, of, proxyCredentials);
    }

    /**
     * This configuration with a user and a password for proxies, those that the JVM's {@link java.net.ProxySelector}
     * names: as Basic (RFC 7617) for proxies of HTTP, which get them in the clear, and as of RFC 1929 for those of
     * SOCKS. They are sent to proxies alone.
     *
     * @param user without a colon
     * @throws IllegalArgumentException the user has a colon, or one of both a control character
     */
    public ClientConfig withProxyCredentials(String user, String password) {
        if (user.indexOf(':') >= 0 || hasControls(user) || hasControls(password)) {
            throw new IllegalArgumentException(
                    "proxyCredentials (expected: a user without a colon, and no control characters)");
        }
        return new ClientConfig(
                endpoints,
                accessKey,
                secretKey,
                timeout,
                deadline,
                directRouting,
                tls,
                listener,
                transport,
                Optional.of(new PasswordAuthentication(user, password.toCharArray())));
    }

    private static boolean hasControls(String text) {
        return text.chars().anyMatch(Character::isISOControl);
    }

    @Override
    public String toString() {
        return "ClientConfig[endpoints=" + endpoints + ", accessKey=" + accessKey + ", secretKey=***, timeout="
                + timeout + ", deadline=" + deadline + ", directRouting=" + directRouting + ", transport=" + transport
                + "]";
    }
}
