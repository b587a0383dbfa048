// SPDX-License-Identifier: Apache-2.0
package org.talos.console.browser;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Checks that the console's files break no policy of its pages, and let no message in. */
@Timeout(20)
class ConsoleFilesTest {
    private static final int MAX_LINES = 500;
    private static final int MAX_CHARACTERS = 120;
    private static final String TEXTS =
            "i18n/"; // a language is one file, a text one line, so that they can be compared
    private static final Pattern AS_HTML = Pattern.compile(
            "innerHTML|outerHTML|insertAdjacentHTML|dangerouslySetInnerHTML|document\\.write|DOMParser|srcdoc");
    private static final Pattern AS_CODE =
            Pattern.compile("\\beval\\(|new Function|setTimeout\\(\\s*[\"'`]|javascript:|import\\s*\\([^\"`(]");
    private static final Pattern STYLE_TEXT = Pattern.compile("style=(\"|'|\\$\\{\")");
    private static final Pattern INLINE =
            Pattern.compile("<script(?![^>]*\\ssrc=)|<style|\\son\\w+=\"", Pattern.CASE_INSENSITIVE);
    private static final Pattern PRELOADED = Pattern.compile("<link rel=\"modulepreload\" href=\"@build@/([^\"]+)\">");
    private static final Pattern IMPORT =
            Pattern.compile("^(?:import|export) [^;]*?from \"(\\.[^\"]+)\";", Pattern.MULTILINE | Pattern.DOTALL);
    private static final Pattern ELSEWHERE = Pattern.compile("(?:https?:)?//[a-z0-9-]+\\.[a-z]");

    private static Map<String, String> sources() {
        Map<String, String> all = new TreeMap<>(ConsoleFiles.ending(".js"));
        all.putAll(ConsoleFiles.ending(".html"));
        return all;
    }

    @Test
    void nothingIsEverReadAsHtmlOrRunAsCode() {
        assertThat(sources())
                .allSatisfy((name, source) -> assertThat(source)
                        .as(name)
                        .doesNotContainPattern(AS_HTML)
                        .doesNotContainPattern(AS_CODE));
    }

    @Test
    void noScriptOrStyleStandsInAPage() {
        assertThat(sources())
                .allSatisfy((name, source) -> assertThat(source).as(name).doesNotContainPattern(STYLE_TEXT));
        assertThat(ConsoleFiles.ending(".html"))
                .allSatisfy((name, source) -> assertThat(source).as(name).doesNotContainPattern(INLINE));
    }

    @Test
    void nothingComesFromElsewhere() {
        Map<String, String> all = new TreeMap<>(sources());
        all.putAll(ConsoleFiles.ending(".css"));

        assertThat(all).allSatisfy((name, source) -> assertThat(source).as(name).doesNotContainPattern(ELSEWHERE));
    }

    @Test
    void pageNamesAllModulesThatItsFirstOneImportsSoThatTheyAreLoadedAtOnce() {
        Set<String> named = new TreeSet<>();
        Matcher each = PRELOADED.matcher(ConsoleFiles.read("index.html"));
        while (each.find()) {
            named.add(each.group(1));
        }

        Set<String> imported = new TreeSet<>();
        follow("app.js", imported);
        imported.remove("app.js");

        assertThat(named).isEqualTo(imported);
    }

    private static void follow(String module, Set<String> found) {
        if (found.add(module)) {
            Matcher each = IMPORT.matcher(ConsoleFiles.read(module));
            while (each.find()) {
                follow(
                        Path.of("/")
                                .resolve(module)
                                .resolveSibling(each.group(1))
                                .normalize()
                                .toString()
                                .substring(1),
                        found);
            }
        }
    }

    @Test
    void filesAndLinesAreAsShortAsOthers() {
        Map<String, String> all = new TreeMap<>(sources());
        all.putAll(ConsoleFiles.ending(".css"));
        all.keySet().removeIf(name -> name.startsWith(TEXTS));

        assertThat(all).allSatisfy((name, source) -> {
            assertThat(source.lines().count()).as(name).isLessThanOrEqualTo(MAX_LINES);
            assertThat(source.lines()).as(name).allMatch(line -> line.length() <= MAX_CHARACTERS);
        });
    }
}
