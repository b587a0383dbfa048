// SPDX-License-Identifier: Apache-2.0
package org.talos.server.config.load;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
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
            frontEnds.settings(name).forEach((key, value) -> settings.put(key, masked(key, value)));
            shown.put(name, settings);
        }
        return shown;
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
