// SPDX-License-Identifier: Apache-2.0
package org.talos.site;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The site of this source tree, and of small ones with a mistake. */
@Timeout(60)
class SiteTest {
    private static final Path ROOT = Path.of(System.getProperty("talos.root"));
    private static final Path ASSETS = ROOT.resolve("site/src/main/resources/org/talos/docs");
    private static final Pattern REFERENCE = Pattern.compile(" (?:href|src)=\"([^\"]*)\"");
    private static final Pattern ID = Pattern.compile(" id=\"([^\"]*)\"");
    private static final String LIST = "# Talos\n\n## Documentation\n\n| to | read |\n|---|---|\n";

    @TempDir
    private Path directory;

    private Path file(String name, String text) throws IOException {
        Path file = directory.resolve(name);
        Files.createDirectories(file.getParent());
        return Files.writeString(file, text);
    }

    /** A source tree with this README and one page. */
    private Sources tree(String readme, String page) throws IOException {
        file("CHANGELOG.md", "# Changes\n");
        file("CONTRIBUTING.md", "# Contributing\n");
        file("README.md", LIST + "| change it | [C](CONTRIBUTING.md), [L](CHANGELOG.md)" + readme + " |\n");
        file("docs/page.md", page);
        return Sources.of(directory);
    }

    private static List<Path> pages(Path site) throws IOException {
        try (Stream<Path> all = Files.walk(site)) {
            return all.filter(each -> each.toString().endsWith(".html")).toList();
        }
    }

    private Path written() throws IOException {
        Path site = directory.resolve("site");
        new Site(Sources.of(ROOT)).write(site);
        try (Stream<Path> assets = Files.list(ASSETS)) {
            for (Path each : assets.toList()) {
                Files.copy(each, site.resolve(each.getFileName()));
            }
        }
        return site;
    }

    private static Set<String> all(Pattern pattern, String text) {
        Set<String> found = new TreeSet<>();
        Matcher matcher = pattern.matcher(text);
        while (matcher.find()) {
            found.add(matcher.group(1));
        }
        return found;
    }

    @Test
    void noLinkInTheSourceTreeLeadsNowhere() throws Exception {
        assertThat(new Links(Sources.of(ROOT)).dead()).isEmpty();
    }

    @Test
    void everyReferenceOfTheSiteIsRelativeAndThere() throws Exception {
        Path site = written();
        List<Path> pages = pages(site);
        assertThat(pages).hasSizeGreaterThan(30);

        for (Path page : pages) {
            for (String reference : all(REFERENCE, Files.readString(page))) {
                URI target = URI.create(reference);
                if (target.getScheme() != null) {
                    assertThat(target.getScheme())
                            .as("%s in %s", reference, page)
                            .isIn("http", "https", "data"); // the last is the icon that no page has
                    continue;
                }
                Path file = target.getPath().isEmpty() ? page : page.resolveSibling(target.getPath());
                assertThat(file.normalize())
                        .as("%s in %s", reference, page)
                        .startsWith(site)
                        .isRegularFile();
                if (target.getFragment() != null) {
                    assertThat(all(ID, Files.readString(file)))
                            .as("%s in %s", reference, page)
                            .contains(target.getFragment());
                }
            }
        }
    }

    @Test
    void pagesHaveNoScriptAndNoStyleOfTheirOwnAndLoadNothingFromElsewhere() throws Exception {
        for (Path page : pages(written())) {
            assertThat(Files.readString(page))
                    .as(page.toString())
                    .doesNotContainPattern("<script(?![^>]*src=\")|<style| style=| on[a-z]+=\"")
                    .doesNotContainPattern("<(?:script|link|img)[^>]*(?:src|href)=\"https?:");
        }
    }

    @Test
    void cellOfATablesHeadWithoutATextHeadsNothing() throws Exception {
        Sources sources = tree(", [P](docs/page.md)", "# Page\n\n| | to |\n|---|---|\n| a | b |\n");
        Path site = directory.resolve("out");
        new Site(sources).write(site);

        assertThat(Files.readString(site.resolve("page.html"))).contains("<td></td>\n<th>to</th>");
    }

    @Test
    void searchLooksIntoEverySection() throws Exception {
        String script = Files.readString(written().resolve("search-index.js"));
        assertThat(script).startsWith("window.talosDocs = ").endsWith(";\n");
        JsonNode sections =
                new JsonMapper().readTree(script.substring("window.talosDocs = ".length(), script.length() - 2));

        assertThat(sections.size()).isGreaterThan(200);
        assertThat(sections).anySatisfy(each -> {
            assertThat(each.get(0).asText()).isEqualTo("operations.html");
            assertThat(each.get(2).asText()).isEqualTo("the-disk-is-full");
            assertThat(each.get(4).asText()).contains("storage.reserveBytes").doesNotContain("\n", "`");
        });
    }

    @Test
    void searchHasTheTextWithoutMarksAndWithoutTheTargetsOfLinks() throws Exception {
        String page = """
                # Page

                A `code` and
                [a **link**](page.md).

                - one
                - two ![picture](page.md)

                | a | b |
                |---|---|
                | `1` | [2](page.md) |

                ```sh
                ls
                cd
                ```
                """;

        assertThat(Page.of("docs/page.md", page).sections())
                .extracting(Page.Section::text)
                .containsExactly("A code and a link. one two picture a b 1 2 ls cd");
    }

    @Test
    void textIsEscapedAndTablesCanBeMoved() throws Exception {
        Sources sources =
                tree(", [P](docs/page.md)", "# A <b>\n\n<i>raw</i> `<x>`\n\n| a | b |\n|---|---|\n| 1 | 2 |\n");
        new Site(sources).write(directory.resolve("out"));

        assertThat(Files.readString(directory.resolve("out/page.html")))
                .contains("&lt;i&gt;raw&lt;/i&gt;", "<code>&lt;x&gt;</code>", "<div class=\"wide\" tabindex=\"0\">")
                .doesNotContain("<b>", "<i>");
    }

    @Test
    void deadLinksAndAnchorsEndTheBuildByName() throws Exception {
        Sources sources = tree(
                ", [P](docs/page.md)",
                "# Page\n[a](none.md) [b](#none) [c](../README.md#documentation) [d](../../out) [e](../CHANGELOG.md#x)\n");

        assertThatThrownBy(() -> new Site(sources))
                .hasMessage("links that lead nowhere: docs/page.md: none.md, docs/page.md: #none,"
                        + " docs/page.md: ../../out, docs/page.md: ../CHANGELOG.md#x");
    }

    @Test
    void everyTableOfTheSourceTreeHasAHeaderAndNoLineIsTooLong() throws Exception {
        SourceChecks checks = new SourceChecks(Sources.of(ROOT));

        assertThat(checks.rowsWithoutHeader()).isEmpty();
        assertThat(checks.longLines()).isEmpty();
    }

    @Test
    void rowsWithoutAHeaderEndTheBuildByLine() throws Exception {
        Sources sources = tree(
                ", [P](docs/page.md)",
                "# Page\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n| 3 | 4 |\n| 5 | 6 |\n\n- item\n\n  | 7 | 8 |\n");

        assertThatThrownBy(() -> new Site(sources))
                .hasMessage("rows of a table without a header: docs/page.md:7, docs/page.md:12");
    }

    @Test
    void linesOfMoreThan120ColumnsEndTheBuildByLine() throws Exception {
        String longest = "word ".repeat(23) + "words"; // 120 columns
        Sources sources = tree(
                ", [P](docs/page.md)",
                "# Page\n\n" + longest + "\n\n" + longest + "s\n\n- " + longest + "\n\n" + "ü".repeat(118) + " a\n");

        assertThatThrownBy(() -> new Site(sources))
                .hasMessage("lines of more than 120 columns: docs/page.md:5, docs/page.md:7");
    }

    @Test
    void tablesAndCodeAndLinksThatCannotBeBrokenMayBeLonger() throws Exception {
        String words = "word ".repeat(30) + "word";
        String page = String.join(
                "\n\n",
                "# Page",
                "| a |\n|---|\n| " + words + " |",
                "```sh\n" + words + "\n```",
                "    " + words,
                "- [link](https://example.org/" + "x".repeat(120) + ")",
                "1. `" + words + "`",
                "`" + words + "`\n");
        Sources sources = tree(", [P](docs/page.md)", page);

        assertThat(new SourceChecks(sources).longLines()).isEmpty();
    }

    @Test
    void pageThatNoListNamesEndsTheBuild() throws Exception {
        Sources sources = tree("", "# Page\n");

        assertThatThrownBy(() -> new Site(sources)).hasMessageContaining("does not name [docs/page.md]");
    }

    @Test
    void resultsOfMeasurementsArePagesBelowTheirFolder() throws Exception {
        file("bench/results/floor.md", "# Floor\n[up](../../docs/page.md)\n");
        Sources sources =
                tree(", [P](docs/page.md), [results](bench/results/)", "# Page\n[f](../bench/results/floor.md)\n");
        Path site = directory.resolve("out");
        new Site(sources).write(site);

        assertThat(Files.readString(site.resolve("bench/results/index.html")))
                .contains("<a href=\"floor.html\">Floor</a>");
        assertThat(Files.readString(site.resolve("bench/results/floor.html"))).contains("href=\"../../page.html\"");
        assertThat(Files.readString(site.resolve("page.html"))).contains("href=\"bench/results/floor.html\"");
    }

    @Test
    void linksOfAFolderAndOfFilesThatAreNoPagesAreInTheSite() throws Exception {
        file("docs/inner/one.md", "# One\n[up](../page.md)\n");
        file("conf/file.yaml", "a: 1\n");
        Sources sources =
                tree(", [P](docs/page.md), [inner](docs/inner/)", "# Page\n[f](../conf/file.yaml) [i](inner/)\n");
        Path site = directory.resolve("out");
        new Site(sources).write(site);

        assertThat(site.resolve("files/conf/file.yaml")).hasContent("a: 1\n");
        assertThat(Files.readString(site.resolve("inner/index.html"))).contains("<a href=\"one.html\">One</a>");
        assertThat(Files.readString(site.resolve("inner/one.html")))
                .contains("href=\"../page.html\"", "href=\"../site.css\"", "data-root=\"../\"");
        assertThat(Files.readString(site.resolve("page.html")))
                .contains("href=\"files/conf/file.yaml\"", "href=\"inner/index.html\"");
    }
}
