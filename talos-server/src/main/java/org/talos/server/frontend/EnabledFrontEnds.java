// SPDX-License-Identifier: Apache-2.0
package org.talos.server.frontend;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.talos.server.config.ServerConfig.FrontEndsConfig;
import org.talos.server.config.load.ConfigException;
import org.talos.server.runtime.Closing;

/** The front ends besides HTTP that a configuration enables, with settings that are checked. Immutable. */
public final class EnabledFrontEnds {
    private final List<Enabled> all;

    private EnabledFrontEnds(List<Enabled> all) {
        this.all = List.copyOf(all);
    }

    /** A front end that is on. Immutable. */
    private record Enabled(FrontEndProvider provider, FrontEndSettings settings) {}

    /**
     * Finds the configured front ends among those whose jars are on the class path.
     *
     * @throws ConfigException there is no front end of a name, or a front end refuses its settings
     */
    public static EnabledFrontEnds of(FrontEndsConfig config) throws ConfigException {
        if (config.names().isEmpty()) {
            return new EnabledFrontEnds(List.of()); // a jar that is not configured cannot stop the start
        }
        SortedMap<String, FrontEndProvider> installed = installed();
        List<Enabled> all = new ArrayList<>();
        for (String name : config.names()) {
            @Nullable FrontEndProvider provider = installed.get(name);
            if (provider == null) {
                String expected = installed.isEmpty()
                        ? "no front ends, as no jar with one is on the class path"
                        : String.join(" or ", installed.keySet());
                throw new ConfigException("frontEnds." + name + ": unknown front end (expected: " + expected + ")");
            }
            FrontEndSettings settings = new FrontEndSettings(name, config.settings(name));
            check(provider, settings);
            if (config.isEnabled(name)) {
                all.add(new Enabled(provider, settings));
            }
        }
        return new EnabledFrontEnds(all);
    }

    private static SortedMap<String, FrontEndProvider> installed() {
        SortedMap<String, FrontEndProvider> byName = new TreeMap<>();
        ServiceLoader.load(FrontEndProvider.class, FrontEndProvider.class.getClassLoader())
                .forEach(provider -> byName.put(provider.name(), provider));
        return byName;
    }

    private static void check(FrontEndProvider provider, FrontEndSettings settings) throws ConfigException {
        try {
            provider.check(settings);
        } catch (IllegalArgumentException e) {
            throw new ConfigException(String.valueOf(e.getMessage()));
        }
    }

    /**
     * Creates the front ends, which do not listen yet, in the order of their names. If one cannot be created, those
     * before it are closed.
     *
     * @param context without settings of a front end
     */
    public List<FrontEnd> create(FrontEndContext context) throws IOException {
        List<FrontEnd> created = new ArrayList<>();
        Closing closing = new Closing();
        try {
            for (Enabled each : all) {
                created.add(closing.add(each.provider().create(context.with(each.settings()))));
            }
        } catch (IOException | RuntimeException | Error e) {
            closing.close();
            throw e;
        }
        return created;
    }
}
