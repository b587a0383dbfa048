// SPDX-License-Identifier: Apache-2.0
package org.talos.server.config.load;

import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.talos.server.config.ServerConfig;

/**
 * Creates a section of the configuration for tests: the defaults of conf/talos.yaml, and what a test sets beside them.
 * A test names no key that it does not depend on, so that a new key changes no test.
 *
 * <p>Confined: the thread that creates the section.
 */
public final class TestConfig<R extends Record> {
    private static final Map<String, String> DEFAULTS = defaults();

    private final Class<R> section;
    private final String path;
    private final Map<String, String> texts = new TreeMap<>(DEFAULTS);

    private TestConfig(Class<R> section, String path) {
        this.section = section;
        this.path = path;
    }

    private static Map<String, String> defaults() {
        Map<String, String> texts = ConfigLoader.defaults();
        new AutoValues(1, 1L << 30).into(texts);
        return texts;
    }

    /**
     * Begins a section.
     *
     * @param section such as {@code LogConfig}; if there are several of its type, the first
     */
    public static <R extends Record> TestConfig<R> of(Class<R> section) {
        return new TestConfig<>(
                section,
                path(ServerConfig.class, "", section)
                        .orElseThrow(() -> new IllegalArgumentException(section + " is no section")));
    }

    /**
     * Sets a key.
     *
     * @param value a number, a truth value, a text, a duration of whole milliseconds, an enum's constant, or the record
     *     of a section inside this one
     */
    public TestConfig<R> with(String key, Object value) {
        set(path + "." + key, value);
        return this;
    }

    private void set(String key, Object value) {
        if (value instanceof Record) {
            for (RecordComponent each : value.getClass().getRecordComponents()) {
                set(key + "." + each.getName(), component(each, value));
            }
        } else if (texts.replace(key, text(value)) == null) {
            throw new IllegalArgumentException("unknown key " + key);
        }
    }

    private static Object component(RecordComponent component, Object of) {
        try {
            return component.getAccessor().invoke(of);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String text(Object value) {
        if (value instanceof Duration duration) {
            return duration.toMillis() + "ms";
        }
        return value instanceof Enum<?> choice ? ScalarParser.spelled(choice) : value.toString();
    }

    /** Creates the section's record, which checks it. */
    public R create() {
        try {
            return new RecordBinder(texts).bind(section, path);
        } catch (ConfigException e) {
            throw new IllegalArgumentException(e);
        }
    }

    private static Optional<String> path(Class<?> type, String path, Class<?> section) {
        for (RecordComponent each : type.getRecordComponents()) {
            String name = path.isEmpty() ? each.getName() : path + "." + each.getName();
            if (each.getType() == section) {
                return Optional.of(name);
            }
            if (each.getType().isRecord()) {
                Optional<String> deeper = path(each.getType(), name, section);
                if (deeper.isPresent()) {
                    return deeper;
                }
            }
        }
        return Optional.empty();
    }
}
