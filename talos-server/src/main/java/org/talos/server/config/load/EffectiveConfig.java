// SPDX-License-Identifier: Apache-2.0
package org.talos.server.config.load;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** A configuration for display: every key, secrets masked. Immutable. */
public final class EffectiveConfig {
    private static final String MASK = "***";

    private EffectiveConfig() {}

    /** Keys and values, in the order of the file; secrets are masked if they are set. */
    public static Map<String, Object> shown(Record config) {
        Map<String, Object> shown = new LinkedHashMap<>();
        for (RecordComponent component : config.getClass().getRecordComponents()) {
            Object value = value(component, config);
            shown.put(
                    component.getName(),
                    value instanceof Record part ? shown(part) : masked(component.getName(), String.valueOf(value)));
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
