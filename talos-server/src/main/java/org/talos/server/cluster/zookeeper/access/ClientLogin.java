// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.zookeeper.access;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import javax.security.auth.login.AppConfigurationEntry;
import javax.security.auth.login.AppConfigurationEntry.LoginModuleControlFlag;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.server.auth.DigestLoginModule;
import org.jspecify.annotations.Nullable;
import org.talos.server.config.ZooKeeperSaslConfig;
import org.talos.server.config.ZooKeeperSaslConfig.Mechanism;

/**
 * The credentials of one client of ZooKeeper; {@link #toString} does not show them.
 *
 * <p>Thread-safe.
 */
public final class ClientLogin implements AutoCloseable {
    private static final String KERBEROS_MODULE = "com.sun.security.auth.module.Krb5LoginModule";
    private static final String SERVICE = "zookeeper.sasl.client.username";
    private static final String HOST = "_HOST";
    private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rw-------");

    private final ZooKeeperSaslConfig config;
    private final @Nullable String entry; // its name among the JVM's; none without credentials

    private ClientLogin(ZooKeeperSaslConfig config, @Nullable String entry) {
        this.config = config;
        this.entry = entry;
    }

    /**
     * Reads the credentials.
     *
     * @throws IOException the password or the keytab cannot be read, or others can read the password; the message has
     *     the remedy
     */
    public static ClientLogin read(ZooKeeperSaslConfig config) throws IOException {
        if (config.mechanism() == Mechanism.NONE) {
            return new ClientLogin(config, null);
        }
        AppConfigurationEntry entry = config.mechanism() == Mechanism.DIGEST
                ? entry(
                        DigestLoginModule.class.getName(),
                        Map.of("username", config.user(), "password", password(config.passwordFile())))
                : kerberos(config);
        return new ClientLogin(config, LoginEntries.add(entry));
    }

    private static AppConfigurationEntry kerberos(ZooKeeperSaslConfig config) throws IOException {
        Path keytab = Path.of(config.keytab()).toAbsolutePath();
        if (!Files.isReadable(keytab)) {
            throw new IOException("zookeeper.sasl.keytab: " + keytab + " is missing or cannot be read");
        }
        return entry(
                KERBEROS_MODULE,
                Map.of(
                        "useKeyTab",
                        "true",
                        "keyTab",
                        keytab.toString(),
                        "principal",
                        principal(config.principal()),
                        "storeKey",
                        "true",
                        "useTicketCache",
                        "false",
                        "doNotPrompt",
                        "true"));
    }

    private static String principal(String text) throws IOException {
        return text.contains(HOST)
                ? text.replace(
                        HOST, InetAddress.getLocalHost().getCanonicalHostName().toLowerCase(Locale.ROOT))
                : text;
    }

    private static AppConfigurationEntry entry(String module, Map<String, String> options) {
        return new AppConfigurationEntry(module, LoginModuleControlFlag.REQUIRED, options);
    }

    private static String password(String file) throws IOException {
        Path path = Path.of(file).toAbsolutePath();
        if (!Files.isRegularFile(path)) {
            throw new IOException("zookeeper.sasl.passwordFile: " + path
                    + " is missing (expected: the password that ZooKeeper's servers know, in one line)");
        }
        Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(path);
        if (!OWNER_ONLY.containsAll(permissions)) {
            throw new IOException("zookeeper.sasl.passwordFile: " + path + " can be used by others than its owner ("
                    + PosixFilePermissions.toString(permissions) + "): chmod 600 it, and choose a new password");
        }
        List<String> lines = Files.readAllLines(path);
        if (lines.size() != 1 || lines.get(0).isBlank()) {
            throw new IOException("zookeeper.sasl.passwordFile: " + path + " has " + lines.size()
                    + " lines (expected: one, with the password)");
        }
        return lines.get(0);
    }

    /** The settings of a client with these credentials, and of no other in this JVM. */
    public ZKClientConfig clientConfig() {
        ZKClientConfig client = new ZKClientConfig();
        if (entry != null) {
            client.setProperty(ZKClientConfig.ENABLE_CLIENT_SASL_KEY, "true");
            client.setProperty(ZKClientConfig.LOGIN_CONTEXT_NAME_KEY, entry);
            client.setProperty(SERVICE, config.service());
        }
        return client;
    }

    /** Returns the identity, for messages. */
    @Override
    public String toString() {
        return switch (config.mechanism()) {
            case NONE -> "nobody";
            case DIGEST -> config.user();
            case KERBEROS -> config.principal();
        };
    }

    /** Forgets the credentials: a client that has them cannot connect again. */
    @Override
    public void close() {
        if (entry != null) {
            LoginEntries.remove(entry);
        }
    }
}
