// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.zookeeper.access;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import javax.security.auth.login.AppConfigurationEntry;
import javax.security.auth.login.Configuration;
import org.jspecify.annotations.Nullable;

/**
 * The JVM's login configuration, which ZooKeeper's client reads by name, with entries of our own in addition to the
 * existing ones. Each client's entry has a unique name, so the ZooKeeper clients within HBase's client find the same
 * entries as before.
 *
 * <p>Thread-safe.
 */
final class LoginEntries extends Configuration {
    private static final Map<String, AppConfigurationEntry> OURS = new ConcurrentHashMap<>();
    private static final AtomicLong NUMBER = new AtomicLong();

    private final @Nullable Configuration others; // none if nothing was configured

    private LoginEntries(@Nullable Configuration others) {
        this.others = others;
    }

    /** Adds an entry and returns its name. */
    static String add(AppConfigurationEntry entry) {
        String name = "TalosZooKeeper-" + NUMBER.incrementAndGet();
        OURS.put(name, entry);
        install(name);
        return name;
    }

    static void remove(String name) {
        OURS.remove(name);
    }

    /**
     * Installs our entries, unless the present configuration has them. Another configuration that wraps ours keeps
     * ours, too.
     */
    private static synchronized void install(String name) {
        Configuration present = present();
        AppConfigurationEntry[] found = present == null ? null : present.getAppConfigurationEntry(name);
        if (found == null || found.length != 1 || found[0] != OURS.get(name)) {
            Configuration.setConfiguration(new LoginEntries(present));
        }
    }

    private static @Nullable Configuration present() {
        try {
            return Configuration.getConfiguration();
        } catch (SecurityException e) { // there is no file with any
            return null;
        }
    }

    @Override
    public AppConfigurationEntry @Nullable [] getAppConfigurationEntry(String name) {
        AppConfigurationEntry own = OURS.get(name);
        if (own != null) {
            return new AppConfigurationEntry[] {own};
        }
        return others == null ? null : others.getAppConfigurationEntry(name);
    }

    @Override
    public void refresh() {
        if (others != null) {
            others.refresh();
        }
    }
}
