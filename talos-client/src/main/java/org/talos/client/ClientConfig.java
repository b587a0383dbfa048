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
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;

/**
 * How a client reaches its servers. Immutable; its text has no secret. A time of more than 50 years is one of 50 years.
 *
 * @param endpoints scheme, host and port of one server or several of the same cluster, in order of preference; when one
 *     does not answer, the next is used. An endpoint has a path if a proxy serves it below one, see
 *     {@link ServerAddress}
 * @param accessKey id of the caller's key
 * @param secretKey secret of that key; signs requests and is never sent
 * @param timeout of one try of a call, answer included
 * @param deadline time after which a call is no longer repeated; zero for calls that are made once. A producer has its
 *     own
 * @param directRouting whether puts and gets go to the partition's owner directly, by the schedule that servers
 *     publish. Not used if an endpoint has a path, because then a proxy stands in front of the servers
 * @param tls trusted servers; empty for those that the JVM trusts
 * @param listener for metrics
 * @param transport of puts and gets
 * @param proxyCredentials user and password for the proxies that the JVM's {@link java.net.ProxySelector} names; sent
 *     only to those, and never in a text or a log
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

    /**
     * Returns whether a proxy serves servers below a path. The addresses that the servers publish may then be
     * unreachable.
     */
    boolean isBelowPath() {
        return endpoints.stream().anyMatch(each -> !each.getRawPath().isEmpty());
    }

    private static void requirePositive(String name, Duration duration) {
        if (duration.isNegative() || duration.isZero()) {
            throw new IllegalArgumentException(name + ": " + duration + " (expected: longer than 0)");
        }
    }

    /** Returns a configuration for one server with the defaults: 10 s for a try, 30 s for a call, direct routing. */
    public static ClientConfig of(URI endpoint, String accessKey, String secretKey) {
        return new Draft(List.of(endpoint), accessKey, secretKey).finished();
    }

    /**
     * Returns a configuration for one server with the defaults, by a key from a file.
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

    /** Returns the configuration for one endpoint, with its timeout and the other defaults. */
    public static ClientConfig of(TalosEndpoint endpoint) {
        return of(endpoint.uri(), endpoint.accessKey(), endpoint.secretKey()).withTimeout(endpoint.timeout());
    }

    private ClientConfig with(Consumer<Draft> change) {
        Draft draft = new Draft(this);
        change.accept(draft);
        return draft.finished();
    }

    /** Returns this configuration with several servers of the same cluster. */
    public ClientConfig withEndpoints(List<URI> servers) {
        return with(draft -> draft.endpoints = servers);
    }

    /** Returns this configuration with another timeout of each try. */
    public ClientConfig withTimeout(Duration of) {
        return with(draft -> draft.timeout = of);
    }

    /** Returns this configuration with another deadline for repetitions; zero for calls that are made once. */
    public ClientConfig withDeadline(Duration of) {
        return with(draft -> draft.deadline = of);
    }

    /** Returns this configuration with all calls sent to the endpoints, as is needed behind a proxy. */
    public ClientConfig withoutDirectRouting() {
        return with(draft -> draft.directRouting = false);
    }

    /** Returns this configuration with a TLS context of its own. */
    public ClientConfig withTls(SSLContext context) {
        return with(draft -> draft.tls = Optional.of(context));
    }

    /** Returns this configuration with a listener for tries and repetitions. */
    public ClientConfig withListener(ClientListener newListener) {
        return with(draft -> draft.listener = newListener);
    }

    /** Returns this configuration with another transport for puts and gets, such as {@link Transport#STREAM}. */
    public ClientConfig withTransport(Transport of) {
        return with(draft -> draft.transport = of);
    }

    /**
     * Returns this configuration with a user and a password for the proxies that the JVM's
     * {@link java.net.ProxySelector} names. HTTP proxies get them by Basic authentication (RFC 7617), in the clear, and
     * SOCKS proxies as RFC 1929 defines. They are sent to proxies only.
     *
     * @param user without a colon
     * @throws IllegalArgumentException the user contains a colon, or the user or the password contains a control
     *     character
     */
    public ClientConfig withProxyCredentials(String user, String password) {
        if (user.indexOf(':') >= 0 || hasControls(user) || hasControls(password)) {
            throw new IllegalArgumentException(
                    "proxyCredentials (expected: a user without a colon, and no control characters)");
        }
        var credentials = new PasswordAuthentication(user, password.toCharArray());
        return with(draft -> draft.proxyCredentials = Optional.of(credentials));
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

    /**
     * The values of a configuration that is being built. They begin as the defaults or as those of another
     * configuration.
     *
     * <p>Confined: the method that makes the configuration.
     */
    private static final class Draft {
        private final String accessKey;
        private final String secretKey;
        private List<URI> endpoints;
        private Duration timeout = Duration.ofSeconds(10);
        private Duration deadline = Duration.ofSeconds(30);
        private boolean directRouting = true;
        private Optional<SSLContext> tls = Optional.empty();
        private ClientListener listener = ClientListener.NONE;
        private Transport transport = Transport.CALLS;
        private Optional<PasswordAuthentication> proxyCredentials = Optional.empty();

        private Draft(List<URI> endpoints, String accessKey, String secretKey) {
            this.endpoints = endpoints;
            this.accessKey = accessKey;
            this.secretKey = secretKey;
        }

        private Draft(ClientConfig of) {
            this(of.endpoints, of.accessKey, of.secretKey);
            timeout = of.timeout;
            deadline = of.deadline;
            directRouting = of.directRouting;
            tls = of.tls;
            listener = of.listener;
            transport = of.transport;
            proxyCredentials = of.proxyCredentials;
        }

        private ClientConfig finished() {
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
                    proxyCredentials);
        }
    }
}
