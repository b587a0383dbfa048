// SPDX-License-Identifier: Apache-2.0
package org.talos.server.config.load;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import org.talos.server.config.ServerConfig.FrontEndsConfig;
import org.talos.server.config.WorkerCount;

/**
 * Creates configuration records from texts by the names of the records' components. A number whose name contains
 * {@code Bytes} is a size.
 *
 * <p>Confined: one load of the configuration.
 */
final class RecordBinder {
    private final Map<String, String> texts;

    /** Texts by their path, such as {@code http.port}. */
    RecordBinder(Map<String, String> texts) {
        this.texts = texts;
    }

    <R extends Record> R bind(Class<R> type) throws ConfigException {
        return bind(type, "");
    }

    /** Creates the record of a section, such as {@code http}. */
    <R extends Record> R bind(Class<R> type, String path) throws ConfigException {
        RecordComponent[] components = type.getRecordComponents();
        Object[] values = new Object[components.length];
        for (int i = 0; i < components.length; i++) {
            String name = components[i].getName();
            values[i] = value(components[i].getType(), path.isEmpty() ? name : path + "." + name);
        }
        try {
            return canonical(type, components).newInstance(values);
        } catch (InvocationTargetException e) {
            String message = String.valueOf(e.getTargetException().getMessage());
            throw new ConfigException(message.startsWith(path) ? message : path + "." + message);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("not a configuration record: " + type, e);
        }
    }

    private static <R extends Record> Constructor<R> canonical(Class<R> type, RecordComponent[] components)
            throws NoSuchMethodException {
        Class<?>[] types =
                Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
        return type.getDeclaredConstructor(types);
    }

    private Object value(Class<?> type, String path) throws ConfigException {
        if (type.isRecord()) {
            return bind(type.asSubclass(Record.class), path);
        }
        if (type == FrontEndsConfig.class) {
            return frontEnds(path + ".");
        }
        String text = texts.get(path);
        if (text == null) {
            throw new ConfigException(path + ": missing");
        }
        try {
            return scalar(type, path, text);
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw new ConfigException(path + ": " + e.getMessage());
        }
    }

    private FrontEndsConfig frontEnds(String prefix) throws ConfigException {
        Map<String, String> below = new TreeMap<>();
        texts.forEach((key, text) -> {
            if (key.startsWith(prefix)) {
                below.put(key.substring(prefix.length()), text);
            }
        });
        try {
            return FrontEndsConfig.of(below);
        } catch (IllegalArgumentException e) {
            throw new ConfigException(String.valueOf(e.getMessage()));
        }
    }

    private static Object scalar(Class<?> type, String path, String text) {
        if (type == String.class) {
            return text;
        }
        if (type == Duration.class) {
            return ScalarParser.duration(text);
        }
        if (type == boolean.class) {
            return ScalarParser.truth(text);
        }
        if (type == WorkerCount.class) {
            return WorkerCount.parse(text);
        }
        if (type.isEnum()) {
            return choice(type, text);
        }
        long number = path.contains("Bytes") ? ScalarParser.size(text) : ScalarParser.number(text);
        return type == int.class ? (Object) Math.toIntExact(number) : (Object) number;
    }

    @SuppressWarnings({"unchecked", "rawtypes"}) // an enum's class, known only at run time
    private static Object choice(Class<?> type, String text) {
        return ScalarParser.choice((Class) type, text);
    }
}
