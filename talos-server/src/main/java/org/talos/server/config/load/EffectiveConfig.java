// SPDX-License-Identifier: Apache-2.0
package org.talos.server.config.load;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.talos.server.config.ServerConfig;
import org.talos.server.config.ServerConfig.FrontEndsConfig;

/** A configuration for display: every key, secrets masked. Immutable. */
public final class EffectiveConfig {
    private static final String MASK = "***";

    private EffectiveConfig() {}

    /** Keys and values, in the order of the file; secrets are masked if they are set. */
    public static Map<String, Object> shown(Record config) {
        Map<String, Object> shown = new LinkedHashMap<>();
        for (RecordComponent component : config.getClass().getRecordComponents()) {
            Object value = value(component, config);
            shown.put(component.getName(), shown(component.getName(), value));
        }
        return shown;
    }

    /**
     * A key and its value. Immutable.
     *
     * @param key such as {@code http.port}
     * @param value as the server has read it; a secret is masked
     * @param usual the default on this machine; empty if the key has none
     */
    public record Setting(String key, String value, String usual) {
        /** Returns whether the value is not the default. */
        public boolean isChanged() {
            return !value.equals(usual);
        }
    }

    /** Returns all keys with their values and defaults, in the order of the file. */
    public static List<Setting> settings(ServerConfig config) {
        Map<String, String> usual = flat(shown(defaults()));
        List<Setting> settings = new ArrayList<>();
        flat(shown(config)).forEach((key, value) -> settings.add(new Setting(key, value, usual.getOrDefault(key, ""))));
        return List.copyOf(settings);
    }

    private static ServerConfig defaults() {
        try {
            return ConfigLoader.load(Map.of());
        } catch (ConfigException e) {
            throw new IllegalStateException("the defaults are valid", e);
        }
    }

    private static Map<String, String> flat(Map<String, Object> shown) {
        Map<String, String> flat = new LinkedHashMap<>();
        flatten("", shown, flat);
        return flat;
    }

    private static void flatten(String path, Map<?, ?> section, Map<String, String> flat) {
        section.forEach((name, value) -> {
            if (value instanceof Map<?, ?> part) {
                flatten(path + name + ".", part, flat);
            } else {
                flat.put(path + name, String.valueOf(value));
            }
        });
    }

    private static Object shown(String name, Object value) {
        if (value instanceof Record part) {
            return shown(part);
        }
        return value instanceof FrontEndsConfig frontEnds ? shown(frontEnds) : masked(name, String.valueOf(value));
    }

    private static Map<String, Object> shown(FrontEndsConfig frontEnds) {
        Map<String, Object> shown = new LinkedHashMap<>();
        for (String name : frontEnds.names()) {
            Map<String, Object> settings = new LinkedHashMap<>();
            settings.put("enabled", String.valueOf(frontEnds.isEnabled(name)));
            frontEnds.settings(name).forEach((key, value) -> settings.put(key, maskedOfOthers(key, value)));
            shown.put(name, settings);
        }
        return shown;
    }

    /** A front end names its keys as it likes, and so its secrets. */
    private static String maskedOfOthers(String name, String value) {
        String lower = name.toLowerCase(Locale.ROOT);
        return (lower.endsWith("key") || lower.contains("token")) && !value.isEmpty() ? MASK : masked(name, value);
    }

    private static String masked(String name, String value) {
        String lower = name.toLowerCase(Locale.ROOT);
        boolean secret = lower.contains("password") || lower.contains("secret");
        return secret && !value.isEmpty() ? MASK : value;
    }

    private static Object value(RecordComponent component, Record config) {
        try {
            return component.getAccessor().invoke(config);
        } catch (IllegalAccessException | InvocationTargetException e) {
            throw new IllegalStateException("a public record can be read", e);
        }
    }
}
