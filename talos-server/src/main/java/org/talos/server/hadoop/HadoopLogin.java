// SPDX-License-Identifier: Apache-2.0
package org.talos.server.hadoop;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.SecurityUtil;
import org.apache.hadoop.security.UserGroupInformation;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.config.KerberosConfig;
import org.talos.server.config.ServerConfig;
import org.talos.server.config.StorageConfig.LogsIn;
import org.talos.server.runtime.thread.NamedThreads;

/**
 * This process's identity in HDFS and HBase. With a principal it logs in by keytab and renews the Kerberos ticket on a
 * thread of its own; without one it is the operating system's user.
 *
 * <p>Hadoop keeps the login for the whole process: there is one, made before the first client.
 *
 * <p>Thread-safe.
 */
public final class HadoopLogin implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HadoopLogin.class);
    private static final String AUTHENTICATION = "hadoop.security.authentication";
    private static final String KERBEROS = "kerberos";
    /** How often the ticket's age is checked; Hadoop renews it after four fifths of its life. */
    private static final Duration RENEWAL_INTERVAL = Duration.ofMinutes(1);

    private final Ticket ticket;
    private final ScheduledExecutorService renewer =
            Executors.newSingleThreadScheduledExecutor(new NamedThreads("kerberos"));
    private volatile Optional<String> failure = Optional.empty();

    private HadoopLogin(Ticket ticket) {
        this.ticket = ticket;
    }

    /** A ticket that can be renewed. */
    @FunctionalInterface
    interface Ticket {
        /** Requests a new ticket if the present one is old. Blocks. */
        void renew() throws IOException;
    }

    /**
     * Logs in to the cluster that the configuration names.
     *
     * @throws IOException its files or the keytab cannot be read, the key is refused, or the two contradict each other
     */
    public static HadoopLogin open(ServerConfig config) throws IOException {
        Configuration client = config.storage().logs() == LogsIn.HDFS
                ? ClientConfiguration.hdfs(config.hdfs())
                : ClientConfiguration.hbase(config.hbase());
        return open(config.kerberos(), client);
    }

    /**
     * Logs in with a client configuration.
     *
     * @param client says whether the cluster requires Kerberos
     * @throws IOException the keytab cannot be read, the key is refused, or the two configurations contradict each
     *     other
     */
    static HadoopLogin open(KerberosConfig kerberos, Configuration client) throws IOException {
        boolean secure = KERBEROS.equalsIgnoreCase(client.get(AUTHENTICATION));
        if (kerberos.enabled() && !secure) {
            throw new IOException("kerberos.principal is set, but the cluster's " + AUTHENTICATION + " is "
                    + client.get(AUTHENTICATION) + " (expected: " + KERBEROS + ", in core-site.xml)");
        }
        Path keytab = Path.of(kerberos.keytab()).toAbsolutePath();
        if (kerberos.enabled() && !Files.isReadable(keytab)) {
            throw new IOException("kerberos.keytab: " + keytab + " is missing or cannot be read");
        }
        use(client);
        if (kerberos.enabled()) {
            logIn(kerberos.principal(), keytab);
            return renewing();
        }
        if (secure) {
            LOG.warn("the cluster requires Kerberos and kerberos.principal is empty; "
                    + "a ticket renewed by another program is needed");
        }
        return new HadoopLogin(() -> {});
    }

    private static void use(Configuration client) throws IOException {
        try {
            UserGroupInformation.setConfiguration(client);
        } catch (IllegalArgumentException e) {
            throw new IOException("Kerberos cannot be used: " + e.getMessage() + " (is there an /etc/krb5.conf?)", e);
        }
    }

    private static void logIn(String principal, Path keytab) throws IOException {
        String whole = SecurityUtil.getServerPrincipal(
                principal, InetAddress.getLocalHost().getCanonicalHostName());
        UserGroupInformation.loginUserFromKeytab(whole, keytab.toString());
        LOG.info("logged in principal={} keytab={}", whole, keytab);
    }

    private static HadoopLogin renewing() {
        HadoopLogin login = new HadoopLogin(HadoopLogin::renewTicket);
        var unused = login.renewer.scheduleWithFixedDelay(
                login::renewIfDue, RENEWAL_INTERVAL.toMillis(), RENEWAL_INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
        return login;
    }

    private static void renewTicket() throws IOException {
        UserGroupInformation.getLoginUser().checkTGTAndReloginFromKeytab();
    }

    /** A login that renews only when {@link #renewIfDue} is called. */
    static HadoopLogin of(Ticket ticket) {
        return new HadoopLogin(ticket);
    }

    /** Renews the ticket if it is due. A failure is retried at the next call: the old ticket is still valid. */
    void renewIfDue() {
        try {
            ticket.renew();
            if (failure.isPresent()) {
                LOG.info("ticket renewed after failures");
            }
            failure = Optional.empty();
        } catch (IOException | RuntimeException | Error e) { // an Error too: it would never be renewed again
            if (failure.isEmpty()) {
                LOG.error("ticket not renewed; retrying every minute: check the keytab and the KDC", e);
            }
            failure = Optional.of("the Kerberos ticket cannot be renewed: " + e.getMessage());
        }
    }

    /** Returns why the ticket cannot be renewed; empty if it can. */
    public Optional<String> failure() {
        return failure;
    }

    /** This process's user name in Hadoop. */
    public String user() throws IOException {
        return UserGroupInformation.getCurrentUser().getUserName();
    }

    /** Stops renewing. The login stays: clients that are still closing need it. */
    @Override
    public void close() {
        renewer.shutdownNow();
    }
}
