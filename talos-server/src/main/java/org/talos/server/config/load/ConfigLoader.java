// SPDX-License-Identifier: Apache-2.0
package org.talos.server.config.load;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.talos.server.config.ServerConfig;

/**
 * Reads the server's configuration: the defaults of conf/talos.yaml, which the jar carries, then a file, then the
 * environment. Unknown keys are refused, except below {@code frontEnds}: each front end checks its own. What Kubernetes
 * puts into the environment is skipped.
 *
 * <p>Immutable.
 */
public final class ConfigLoader {
    private static final String DEFAULTS = "/talos.yaml";
    private static final String ENVIRONMENT_PREFIX = "TALOS_";
    /** The section whose keys belong to front ends that this module does not know. */
    private static final String FRONT_ENDS = "frontEnds.";
    /** The format of log lines, which Logback reads. With an unknown format it writes no log at all. */
    private static final String LOG_FORMAT = "TALOS_LOGFORMAT";

    private static final List<String> LOG_FORMATS = List.of("plain", "json");
    private static final YAMLMapper YAML = new YAMLMapper(YAMLFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build());
    /** Read once: where servers come and go, as in tests, each needs them. */
    private static final Map<String, String> DEFAULT_TEXTS = Map.copyOf(readDefaults());

    private ConfigLoader() {}

    /** The defaults, overridden by an environment (of names and values). */
    public static ServerConfig load(Map<String, String> environment) throws ConfigException {
        return load(Optional.empty(), environment, AutoValues.ofThisJvm());
    }

    /**
     * The defaults, overridden by a file, overridden by an environment.
     *
     * @throws ConfigException the file cannot be read, or a key or value is wrong
     */
    public static ServerConfig load(Path file, Map<String, String> environment) throws ConfigException {
        return load(Optional.of(file), environment, AutoValues.ofThisJvm());
    }

    /** Returns the defaults, overridden by an environment, with the values that {@code auto} has for a heap size. */
    public static ServerConfig loadForHeap(long heapBytes, Map<String, String> environment) throws ConfigException {
        return load(Optional.empty(), environment, new AutoValues(1, heapBytes));
    }

    private static ServerConfig load(Optional<Path> file, Map<String, String> environment, AutoValues auto)
            throws ConfigException {
        Map<String, String> texts = defaults();
        if (file.isPresent()) {
            overlay(
                    texts,
                    flatten(parse(file.get()), file.get().toString()),
                    file.get().toString());
        }
        Map<String, String> ours = ServiceLinks.without(environment);
        requireLogFormat(ours);
        overlay(texts, fromEnvironment(texts, ours), "environment");
        auto.into(texts);
        return new RecordBinder(texts).bind(ServerConfig.class);
    }

    private static void requireLogFormat(Map<String, String> environment) throws ConfigException {
        String format = environment.getOrDefault(LOG_FORMAT, LOG_FORMATS.get(0));
        if (!LOG_FORMATS.contains(format)) {
            throw new ConfigException(
                    LOG_FORMAT + ": " + format + " (expected: " + String.join(" or ", LOG_FORMATS) + ")");
        }
    }

    /** Returns the defaults in a new map, which the caller may change. */
    static Map<String, String> defaults() {
        return new TreeMap<>(DEFAULT_TEXTS);
    }

    private static Map<String, String> readDefaults() {
        try (InputStream in = ConfigLoader.class.getResourceAsStream(DEFAULTS)) {
            if (in == null) {
                throw new LinkageError("the jar lacks " + DEFAULTS);
            }
            return flatten(YAML.readTree(in), DEFAULTS);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (ConfigException e) {
            throw new LinkageError("the jar's own " + DEFAULTS + " is wrong", e);
        }
    }

    private static JsonNode parse(Path file) throws ConfigException {
        try {
            return YAML.readTree(Files.readAllBytes(file));
        } catch (JsonProcessingException e) {
            throw new ConfigException(file + ": " + e.getOriginalMessage());
        } catch (IOException e) {
            throw new ConfigException(file + ": cannot be read: " + e.getMessage());
        }
    }

    private static Map<String, String> flatten(JsonNode root, String source) throws ConfigException {
        Map<String, String> texts = new TreeMap<>();
        if (!root.isMissingNode() && !root.isNull()) {
            flatten(root, "", source, texts);
        }
        return texts;
    }

    private static void flatten(JsonNode node, String path, String source, Map<String, String> texts)
            throws ConfigException {
        if (node.isObject()) {
            for (Map.Entry<String, JsonNode> field : node.properties()) {
                flatten(field.getValue(), path.isEmpty() ? field.getKey() : path + "." + field.getKey(), source, texts);
            }
        } else if (node.isValueNode() && !node.isNull() && !path.isEmpty()) {
            texts.put(path, node.asText());
        } else {
            throw new ConfigException(source + ": " + path + ": " + node + " (expected: keys with one value each)");
        }
    }

    private static void overlay(Map<String, String> texts, Map<String, String> over, String source)
            throws ConfigException {
        for (Map.Entry<String, String> entry : over.entrySet()) {
            if (entry.getKey().startsWith(FRONT_ENDS)) {
                texts.put(entry.getKey(), entry.getValue());
            } else if (texts.replace(entry.getKey(), entry.getValue()) == null) {
                throw new ConfigException(source + ": " + unknown(entry.getKey()));
            }
        }
    }

    private static String unknown(String key) {
        String newName = RemovedKeys.renamed().get(key);
        if (newName != null) {
            return key + " was renamed: write " + newName;
        }
        return RemovedKeys.contains(key) ? key + " was removed: delete this line" : "unknown key " + key;
    }

    /** Unknown names are refused only if they begin like a section: others belong to the command line. */
    private static Map<String, String> fromEnvironment(Map<String, String> texts, Map<String, String> environment)
            throws ConfigException {
        Map<String, String> pathByName = new TreeMap<>();
        Map<String, String> sections = new TreeMap<>();
        for (String path : texts.keySet()) {
            pathByName.put(environmentName(path), path);
            int dot = path.indexOf('.');
            if (dot > 0) {
                sections.put(environmentName(path.substring(0, dot)) + "_", path.substring(0, dot));
            }
        }
        Map<String, String> over = new TreeMap<>();
        for (Map.Entry<String, String> variable : environment.entrySet()) {
            String path = pathByName.get(variable.getKey());
            if (path != null) {
                over.put(path, variable.getValue());
            } else if (variable.getKey().startsWith(environmentName(FRONT_ENDS))) {
                over.put(frontEndPath(variable.getKey()), variable.getValue());
            } else {
                requireForeign(variable.getKey(), sections.keySet());
            }
        }
        return over;
    }

    /** Refuses a name that belonged to a key of an earlier version, or that begins like a section. */
    private static void requireForeign(String name, Set<String> sections) throws ConfigException {
        for (String key : RemovedKeys.all()) {
            if (environmentName(key).equals(name)) {
                throw new ConfigException("environment: " + name + " was removed: unset it");
            }
        }
        for (Map.Entry<String, String> key : RemovedKeys.renamed().entrySet()) {
            if (environmentName(key.getKey()).equals(name)) {
                throw new ConfigException(
                        "environment: " + name + " was renamed: set " + environmentName(key.getValue()));
            }
        }
        if (sections.stream().anyMatch(name::startsWith)) {
            throw new ConfigException("environment: unknown key " + name);
        }
    }

    /** A variable has lost the case of its key: the settings of a front end are found in any case. */
    private static String frontEndPath(String variable) {
        String rest = variable.substring(environmentName(FRONT_ENDS).length());
        return FRONT_ENDS + rest.toLowerCase(Locale.ROOT).replace('_', '.');
    }

    private static String environmentName(String path) {
        return ENVIRONMENT_PREFIX + path.replace('.', '_').toUpperCase(Locale.ROOT);
    }
}
