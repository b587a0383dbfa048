// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.zookeeper.access;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import javax.security.auth.login.AppConfigurationEntry;
import javax.security.auth.login.AppConfigurationEntry.LoginModuleControlFlag;
import javax.security.auth.login.Configuration;
import org.apache.zookeeper.server.auth.DigestLoginModule;
import org.apache.zookeeper.server.auth.ProviderRegistry;
import org.apache.zookeeper.server.auth.SASLAuthenticationProvider;
import org.jspecify.annotations.Nullable;

/**
 * Has ZooKeeper servers of this JVM that start from now on ask for users and passwords (DIGEST-MD5), as their
 * configuration file and their login configuration do in processes of their own.
 *
 * <p>Confined: a test.
 */
public final class ZooKeeperUsers implements AutoCloseable {
    /** Name of the lock for classes that use the JVM's login configuration: there is one. */
    public static final String LOGINS = "login configuration of the JVM";

    private static final String PROVIDER = "zookeeper.authProvider.sasl";

    private final @Nullable Configuration before;
    private final AtomicReference<Map<String, String>> users = new AtomicReference<>(Map.of());

    /** Users, and their passwords. */
    public ZooKeeperUsers(Map<String, String> users) {
        before = present();
        set(users);
        Configuration others = before;
        Configuration.setConfiguration(new Configuration() {
            @Override
            public AppConfigurationEntry @Nullable [] getAppConfigurationEntry(String name) {
                if (name.equals("Server")) {
                    return new AppConfigurationEntry[] {server()};
                }
                return others == null ? null : others.getAppConfigurationEntry(name);
            }
        });
        System.setProperty(PROVIDER, SASLAuthenticationProvider.class.getName());
        ProviderRegistry.initialize();
        ProviderRegistry.addOrUpdateProvider(PROVIDER);
    }

    private static @Nullable Configuration present() {
        try {
            return Configuration.getConfiguration();
        } catch (SecurityException e) { // there is none
            return null;
        }
    }

    /** Other users, for servers that start from now on. */
    public void set(Map<String, String> now) {
        Map<String, String> options = new TreeMap<>();
        now.forEach((user, password) -> options.put("user_" + user, password));
        users.set(options);
    }

    private AppConfigurationEntry server() {
        return new AppConfigurationEntry(
                DigestLoginModule.class.getName(), LoginModuleControlFlag.REQUIRED, users.get());
    }

    /** ZooKeeper servers that start from now on ask nobody. */
    @Override
    public void close() {
        System.clearProperty(PROVIDER);
        ProviderRegistry.reset();
        Configuration.setConfiguration(before);
    }
}
