// SPDX-License-Identifier: Apache-2.0
package org.talos.dist;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Checks that image, unit, and manifests agree with conf/talos.yaml, with the archive, and with each other. */
class DeploymentFilesTest {
    private static final Path ROOT = Path.of(System.getProperty("talos.root"));
    private static final Path DIST = ROOT.resolve("dist");
    private static final YAMLMapper YAML = new YAMLMapper(new YAMLFactory());
    private static final Pattern VARIABLE = Pattern.compile("\\bTALOS_[A-Z_]+\\b");
    private static final Set<String> OF_THE_COMMAND =
            Set.of("TALOS_ACCESS_KEY", "TALOS_SECRET_KEY", "TALOS_JAVA_OPTS", "TALOS_LOGFILE", "TALOS_LOGFORMAT");

    private static String text(String file) throws IOException {
        return Files.readString(DIST.resolve(file));
    }

    private static List<JsonNode> documents(Path file) throws IOException {
        try (var values = YAML.readerFor(JsonNode.class).<JsonNode>readValues(file.toFile())) {
            return values.readAll();
        }
    }

    private static JsonNode statefulSet() throws IOException {
        return documents(DIST.resolve("kubernetes/base/statefulset.yaml")).get(0);
    }

    /** Keys and values of a configuration, by path. */
    private static Map<String, String> configuration(Path file) throws IOException {
        Map<String, String> keys = new TreeMap<>();
        flatten(documents(file).get(0), "", keys);
        return keys;
    }

    private static void flatten(JsonNode node, String path, Map<String, String> keys) {
        if (node.isObject()) {
            node.properties()
                    .forEach(field -> flatten(
                            field.getValue(), path.isEmpty() ? field.getKey() : path + "." + field.getKey(), keys));
        } else {
            keys.put(path, node.asText());
        }
    }

    private static Map<String, String> defaults() throws IOException {
        return configuration(ROOT.resolve("conf/talos.yaml"));
    }

    private static List<Path> all() throws IOException {
        try (Stream<Path> files = Stream.of("docker", "systemd", "kubernetes").flatMap(folder -> {
            try (Stream<Path> found = Files.walk(DIST.resolve(folder))) {
                return found.filter(Files::isRegularFile).toList().stream();
            } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        })) {
            return files.toList();
        }
    }

    @Test
    void everyVariableIsAKeyOfTheConfigurationOrOneOfTheCommand() throws Exception {
        Set<String> known = defaults().keySet().stream()
                .map(key -> "TALOS_" + key.replace('.', '_').toUpperCase(Locale.ROOT))
                .collect(Collectors.toCollection(TreeSet::new));
        known.addAll(OF_THE_COMMAND);
        for (Path file : all()) {
            Set<String> named = VARIABLE.matcher(Files.readString(file))
                    .results()
                    .map(found -> found.group())
                    .collect(Collectors.toSet());

            assertThat(known).as("%s", file).containsAll(named);
        }
    }

    @Test
    void everyYamlCanBeRead() throws Exception {
        for (Path file : all()) {
            if (file.toString().endsWith(".yaml")) {
                assertThat(documents(file)).as("%s", file).isNotEmpty().allMatch(JsonNode::isObject);
            }
        }
    }

    @Test
    void portsAreThoseOfTheConfiguration() throws Exception {
        Map<String, String> keys = defaults();
        List<String> ports = List.of(keys.get("http.port"), keys.get("management.port"), keys.get("transfer.port"));

        assertThat(text("docker/Dockerfile"))
                .contains("EXPOSE " + String.join(" ", ports), "/127.0.0.1/" + ports.get(1), "/::1/" + ports.get(1));
        List<String> ofThePod = new ArrayList<>();
        statefulSet()
                .at("/spec/template/spec/containers/0/ports")
                .forEach(port -> ofThePod.add(port.get("containerPort").asText()));
        assertThat(ofThePod).isEqualTo(ports);
        List<String> ofTheServers = new ArrayList<>();
        documents(DIST.resolve("kubernetes/base/services.yaml"))
                .get(1)
                .at("/spec/ports")
                .forEach(port -> ofTheServers.add(port.get("port").asText()));
        assertThat(ofTheServers).isEqualTo(ports);
    }

    @Test
    void probesAskWhatTheManagementPortAnswers() throws Exception {
        String pages = Files.readString(ROOT.resolve("docs/operations.md"));
        JsonNode container = statefulSet().at("/spec/template/spec/containers/0");
        for (String probe : List.of("startupProbe", "readinessProbe", "livenessProbe")) {
            JsonNode get = container.at("/" + probe + "/httpGet");

            assertThat(get.get("port").asText()).isEqualTo("management");
            assertThat(pages).contains("| `" + get.get("path").asText() + "` |");
        }
        assertThat(text("docker/Dockerfile")).contains("GET /health/ready ");
    }

    @Test
    void serversRunTheArchivesCommandAsTheSameUserEverywhere() throws Exception {
        String image = text("docker/Dockerfile");
        assertThat(DIST.resolve("src/bin/talos")).isExecutable();
        assertThat(image)
                .contains("ENTRYPOINT [\"/opt/talos/bin/talos\"]", "USER 10001:10001", "VOLUME /var/lib/talos");
        assertThat(text("systemd/talos.service"))
                .contains(
                        "ExecStart=/opt/talos/bin/talos server --config /etc/talos/talos.yaml",
                        "Environment=TALOS_DATADIRECTORY=/var/lib/talos",
                        "RestartPreventExitStatus=78");
        JsonNode pod = statefulSet().at("/spec/template/spec");
        assertThat(pod.at("/securityContext/runAsUser").asText()).isEqualTo("10001");
        assertThat(pod.at("/containers/0/volumeMounts/0/mountPath").asText()).isEqualTo("/var/lib/talos");
    }

    @Test
    void configurationOfTheOverlayHasOnlyKeysThatThereAre() throws Exception {
        assertThat(defaults().keySet())
                .containsAll(configuration(DIST.resolve("kubernetes/overlays/cluster/talos.yaml"))
                        .keySet());
    }

    @Test
    void patchesAreForWhatTheBaseHas() throws Exception {
        JsonNode patch = documents(DIST.resolve("kubernetes/overlays/cluster/servers.yaml"))
                .get(0);

        assertThat(patch.at("/metadata/name")).isEqualTo(statefulSet().at("/metadata/name"));
        assertThat(patch.at("/spec/template/spec/containers/0/name"))
                .isEqualTo(statefulSet().at("/spec/template/spec/containers/0/name"));
        Set<String> volumes = new TreeSet<>(Set.of("data", "tmp"));
        patch.at("/spec/template/spec/volumes")
                .forEach(volume -> volumes.add(volume.get("name").asText()));
        patch.at("/spec/template/spec/containers/0/volumeMounts")
                .forEach(mount -> assertThat(volumes).contains(mount.get("name").asText()));
    }
}
