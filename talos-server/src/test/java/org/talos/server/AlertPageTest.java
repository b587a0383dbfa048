// SPDX-License-Identifier: Apache-2.0
package org.talos.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** docs/tutorials/alerts.md names the rules of conf/talos-alerts.yaml, and Prometheus takes them. */
@Timeout(60)
class AlertPageTest {
    private static final Path ROOT = Path.of(System.getProperty("talos.root"));
    private static final Path RULES = ROOT.resolve("conf/talos-alerts.yaml");
    private static final Pattern ROW = Pattern.compile("(?m)^\\| `(Talos\\w+)` \\| .+ \\|$");

    /** The parts of a rule that the page has too. Immutable. */
    private record Rule(String name, boolean wakes) {}

    private static Stream<Rule> ofTheFile() throws Exception {
        JsonNode groups = new YAMLMapper().readTree(Files.readAllBytes(RULES)).get("groups");
        return groups.findValues("rules").stream()
                .flatMap(rules ->
                        Stream.iterate(0, i -> i < rules.size(), i -> i + 1).map(rules::get))
                .map(rule -> new Rule(rule.get("alert").textValue(), isCritical(rule)));
    }

    private static boolean isCritical(JsonNode rule) {
        return rule.at("/labels/severity").textValue().equals("critical");
    }

    private static String page() throws Exception {
        return Files.readString(ROOT.resolve("docs/tutorials/alerts.md"));
    }

    private static List<Rule> ofThePage() throws Exception {
        String page = page();
        int others = page.indexOf("## Look at it tomorrow");
        assertThat(others).isPositive();
        return ROW.matcher(page)
                .results()
                .map(row -> new Rule(row.group(1), row.start() < others))
                .toList();
    }

    @Test
    void pageHasEveryRuleAndNoOther() throws Exception {
        assertThat(ofThePage()).containsExactlyInAnyOrderElementsOf(ofTheFile().toList());
        assertThat(Pattern.compile("Talos[A-Z]\\w+").matcher(page()).results().map(each -> each.group()))
                .as("alerts that the page names")
                .allSatisfy(each -> assertThat(ofTheFile().map(Rule::name)).contains(each));
    }

    @Test
    void jobOfTheRulesIsThatOfThePage() throws Exception {
        assertThat(page()).contains("job_name: talos\n");
        assertThat(Files.readString(RULES)).contains("up{job=\"talos\"} == 0");
        assertThat(new TreeSet<>(Pattern.compile("job=~?\"[^\"]*\"")
                        .matcher(Files.readString(RULES))
                        .results()
                        .map(each -> each.group())
                        .toList()))
                .containsExactly("job=\"talos\"");
    }

    @Test
    void prometheusTakesTheRules() throws Exception {
        boolean there = Stream.of(System.getenv("PATH").split(File.pathSeparator, -1))
                .anyMatch(each -> Files.isExecutable(Path.of(each).resolve("promtool")));
        assumeTrue(there, "there is no promtool on the path: Prometheus' own look at the rules is left out");

        Process promtool = new ProcessBuilder("promtool", "check", "rules", RULES.toString())
                .redirectErrorStream(true)
                .start();
        String said = new String(promtool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(promtool.waitFor()).as(said).isZero();
    }
}
