// SPDX-License-Identifier: Apache-2.0
package org.talos.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.client.TalosClient;
import org.talos.client.admin.GroupAdmin;
import org.talos.client.admin.GroupReset;
import org.talos.client.admin.NewTopic;
import org.talos.client.admin.TopicDescription;
import org.talos.client.producer.Compression;
import org.talos.client.producer.OutgoingMessage;
import org.talos.client.producer.SimpleProducer;
import org.talos.server.testing.TestServer;

/**
 * docs/configuration.md and docs/metrics.md are made from the code, and the dashboard asks for metrics that there are.
 * To regenerate the pages: {@code mvn -pl talos-server -am verify -Dtest=ReferencePagesTest -Dtalos.docs=write
 * -DskipITs}.
 */
@Timeout(60)
class ReferencePagesTest {
    private static final Path ROOT = Path.of(System.getProperty("talos.root"));
    private static final Pattern SAMPLE = Pattern.compile("^([a-z_]+)(?:\\{([^}]*)})? \\S+$");
    private static final Pattern SELECTOR = Pattern.compile("(talos_[a-z_]+)(?:\\{([^}]*)})?");
    private static final Pattern LABEL = Pattern.compile("([a-z_]+)(=~?)\"([^\"]*)\"");

    @TempDir
    private Path data;

    private static void assertPage(String name, String made) throws IOException {
        Path page = ROOT.resolve("docs").resolve(name);
        if ("write".equals(System.getProperty("talos.docs"))) {
            Files.writeString(page, made);
        }
        assertThat(Files.readString(page))
                .as("docs/%s is not what the code says; see ReferencePagesTest for how to write it again", name)
                .isEqualTo(made);
    }

    @Test
    void configurationPageIsMadeFromTheCommentedFile() throws Exception {
        StringBuilder page = new StringBuilder("""
                # Configuration

                For operators: each key of a server and its default. The build makes this page from
                [conf/talos.yaml](../conf/talos.yaml). Give a key in a file (`bin/talos server --config FILE`), or by the environment:
                `TALOS_` and the key in capitals with underscores, so `http.port` is `TALOS_HTTP_PORT`. Durations: `500ms`, `10s`,
                `5m`, `6h`, `7d`. Sizes: bytes, `KiB`, `MiB`, `GiB`. A wrong value or an unknown key keeps the server from starting.

                Front ends besides HTTP have keys of their own: `frontEnds.<name>.<key>`, or `TALOS_FRONTENDS_<NAME>_<KEY>`. Each comes
                in a jar of its own in `lib/`. It is off unless `frontEnds.<name>.enabled` is `true`. The server refuses other names.

                | key | default | |
                |---|---|---|
                """);
        String above = "";
        for (String[] key : keys(Files.readAllLines(ROOT.resolve("conf/talos.yaml")))) {
            String text = !above.isEmpty() && above.equals(key[2]) ? "as above" : key[2];
            page.append(String.format(Locale.ROOT, "| `%s` | `%s` | %s |%n", key[0], key[1], text));
            above = key[2];
        }
        assertPage("configuration.md", page.toString());
    }

    /** Key, default and comment. A comment is that of all keys up to the next one or an empty line. */
    private static List<String[]> keys(List<String> yaml) {
        List<String[]> keys = new ArrayList<>();
        Deque<String> path = new ArrayDeque<>();
        List<String> comment = new ArrayList<>();
        String before = "";
        for (String line : yaml) {
            String text = line.strip();
            if (text.isEmpty() || (text.startsWith("#") && !before.startsWith("#"))) {
                comment.clear();
            }
            before = text;
            if (text.startsWith("#")) {
                comment.add(text.substring(1).strip());
            } else if (!text.isEmpty()) {
                int depth = (line.length() - line.stripLeading().length()) / 2;
                while (path.size() > depth) {
                    path.removeLast();
                }
                int colon = text.indexOf(':');
                path.addLast(text.substring(0, colon));
                String value = text.substring(colon + 1).strip();
                if (!value.isEmpty()) {
                    keys.add(new String[] {String.join(".", path), value, String.join(" ", comment)});
                }
            }
        }
        return keys;
    }

    /** Returns the metrics that a server exports after it has done something. */
    private String exported() throws Exception {
        Map<String, String> settings = Map.of("METRICS_TOPICS", "orders", "METRICS_INTERVAL", "100ms");
        try (TestServer server = TestServer.start(data, settings)) {
            TopicDescription topic =
                    server.admin().createTopic(NewTopic.of("orders", 1).withRetention(Duration.ofHours(1)));
            SimpleProducer producer =
                    new SimpleProducer(new TalosClient(server.endpoint()).once(), topic, Compression.NONE);
            for (int i = 0; i < 20; i++) {
                producer.put(0, List.of(OutgoingMessage.of("message " + i)));
            }
            new GroupAdmin(new TalosClient(server.endpoint()).once()).reset("orders", "shop", GroupReset.toEarliest());
            HttpRequest metrics = HttpRequest.newBuilder(server.managementUri().resolve("/metrics"))
                    .build();
            HttpClient client = HttpClient.newHttpClient();
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> got(client, metrics).contains("talos_group_lag{"));
            return got(client, metrics);
        }
    }

    private static String got(HttpClient client, HttpRequest metrics) throws Exception {
        return client.send(metrics, BodyHandlers.ofString()).body();
    }

    @Test
    void metricsPageIsMadeFromWhatAServerExports() throws Exception {
        String text = exported();
        Map<String, Set<String>> labels = new TreeMap<>();
        for (Map.Entry<String, List<Map<String, String>>> each : samples(text).entrySet()) {
            String family = each.getKey().replaceFirst("_(bucket|sum|count)$", "");
            Set<String> names = labels.computeIfAbsent(family, same -> new TreeSet<>());
            each.getValue().forEach(sample -> names.addAll(sample.keySet()));
            names.remove("le");
        }
        StringBuilder page = new StringBuilder("""
                # Metrics

                For operators: each metric at `/metrics` of the management port. The build makes this page from what a server exports.
                [operations.md](operations.md#metrics) says which to look at first, [alerts](tutorials/alerts.md) what to alert on.
                Single requests: [tracing.md](tracing.md). Units are base units, and histograms count from the server's start.
                `talos_topic_…` and `talos_group_lag` are for the topics of [`metrics.topics`](configuration.md) alone, in the
                partitions that the server serves. No other label has a name that clients chose.

                | metric | labels | type | |
                |---|---|---|---|
                """);
        Matcher help =
                Pattern.compile("# HELP (\\S+) (.*)\\n# TYPE \\S+ (\\S+)").matcher(text);
        Map<String, String> rows = new TreeMap<>();
        help.results()
                .forEach(each -> rows.put(
                        each.group(1),
                        String.format(
                                Locale.ROOT,
                                "| `%s` | %s | %s | %s |%n",
                                each.group(1),
                                String.join(", ", labels.getOrDefault(each.group(1), Set.of())),
                                each.group(3),
                                each.group(2))));
        rows.values().forEach(page::append);
        assertPage("metrics.md", page.toString());
    }

    private static Map<String, List<Map<String, String>>> samples(String text) {
        Map<String, List<Map<String, String>>> samples = new TreeMap<>();
        text.lines().filter(line -> !line.startsWith("#")).forEach(line -> {
            Matcher sample = SAMPLE.matcher(line);
            assertThat(sample.matches()).as(line).isTrue();
            samples.computeIfAbsent(sample.group(1), each -> new ArrayList<>()).add(labels(sample.group(2)));
        });
        return samples;
    }

    private static Map<String, String> labels(String text) {
        Map<String, String> labels = new TreeMap<>();
        if (text != null) {
            LABEL.matcher(text).results().forEach(each -> labels.put(each.group(1), each.group(2) + each.group(3)));
        }
        labels.replaceAll((name, value) -> value.startsWith("=~") ? value : value.substring(1));
        return labels;
    }

    @Test
    void everyQueryOfTheDashboardFindsMetrics() throws Exception {
        Map<String, List<Map<String, String>>> exported = samples(exported());
        JsonNode dashboard =
                new ObjectMapper().readTree(Files.readAllBytes(ROOT.resolve("conf/grafana-dashboard.json")));
        List<String> queries = dashboard.findValuesAsText("expr");
        assertThat(queries).hasSizeGreaterThan(15);

        assertFindMetrics(queries, exported);
    }

    private static void assertFindMetrics(List<String> queries, Map<String, List<Map<String, String>>> exported) {
        for (String query : queries) {
            List<MatchResult> selectors = SELECTOR.matcher(query).results().toList();
            assertThat(selectors).as(query).isNotEmpty();
            for (MatchResult selector : selectors) {
                Map<String, String> wanted = labels(selector.group(2));
                assertThat(exported.getOrDefault(selector.group(1), List.of()))
                        .as("%s in %s", selector.group(), query)
                        .anyMatch(sample -> wanted.entrySet().stream()
                                .allMatch(label -> fits(label.getValue(), sample.getOrDefault(label.getKey(), ""))));
            }
        }
    }

    @Test
    void everyAlertAsksForMetricsThatThereAreAndSaysWhatItIsAbout() throws Exception {
        JsonNode groups = new YAMLMapper()
                .readTree(Files.readAllBytes(ROOT.resolve("conf/talos-alerts.yaml")))
                .get("groups");
        List<JsonNode> rules = new ArrayList<>();
        groups.forEach(group -> group.get("rules").forEach(rules::add));
        Set<String> names = new TreeSet<>();

        for (JsonNode rule : rules) {
            assertThat(names.add(rule.get("alert").textValue()))
                    .as(rule.toString())
                    .isTrue();
            assertThat(rule.at("/labels/severity").textValue()).isIn("critical", "warning", "info");
            assertThat(rule.at("/annotations/summary").textValue()).isNotBlank();
            assertThat(rule.at("/annotations/description").textValue()).isNotBlank();
            assertThat(rule.path("for").asText("1m")).matches("[0-9]+[smh]");
            String query = rule.get("expr").textValue();
            assertThat(query.chars().filter(each -> each == '(').count())
                    .as(query)
                    .isEqualTo(query.chars().filter(each -> each == ')').count());
        }
        assertThat(names)
                .contains("TalosLag", "TalosServerAway", "TalosDiskLow", "TalosPartitionsNotServed", "TalosTakeOvers");
        List<String> queries = groups.findValuesAsText("expr").stream()
                .filter(each -> !each.startsWith("up{")) // which is Prometheus' own
                .toList();
        assertFindMetrics(queries, samples(exported()));
    }

    private static boolean fits(String wanted, String value) {
        return wanted.startsWith("=~") ? Pattern.matches(wanted.substring(2), value) : wanted.equals(value);
    }
}
