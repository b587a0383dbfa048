// SPDX-License-Identifier: Apache-2.0
package org.talos.console.browser;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The console's texts: each is there in each language, and each that is there is used. */
@Timeout(20)
class TextsTest {
    private static final Pattern TEXT = Pattern.compile("^    \"([^\"]+)\": \"(.*)\",$", Pattern.MULTILINE);
    private static final Pattern USED = Pattern.compile("\\b(tn?)\\(\"([^\"]+)\"");
    private static final Pattern NOT_LITERAL = Pattern.compile("[^\\w.]tn?\\((?!\")[^)]*\\)");
    private static final Pattern PARAMETER = Pattern.compile("\\{\\w+}");
    private static final Pattern ACTION = Pattern.compile("\\baction=\\$\\{([^}]*)}");
    private static final Pattern FOOTER = Pattern.compile("<footer>(.*?)</footer>", Pattern.DOTALL);
    private static final List<String> LEAVING = List.of("cancel", "close"); // what a dialog with an action has besides
    private static final String DEFINES_THEM = "i18n.js";

    private static Map<String, String> texts(String language) {
        Map<String, String> texts = new LinkedHashMap<>();
        Matcher each = TEXT.matcher(ConsoleFiles.read("i18n/" + language + ".js"));
        while (each.find()) {
            assertThat(texts.put(each.group(1), each.group(2)))
                    .as("twice in %s: %s", language, each.group(1))
                    .isNull();
        }
        return texts;
    }

    private static Set<String> used() {
        Set<String> keys = new TreeSet<>();
        ConsoleFiles.ending(".js").forEach((name, source) -> {
            Matcher each = USED.matcher(source);
            while (each.find()) {
                if (each.group(1).equals("t")) {
                    keys.add(each.group(2));
                } else {
                    keys.add(each.group(2) + ".one");
                    keys.add(each.group(2) + ".other");
                }
            }
        });
        return keys;
    }

    /** Returns the keys of the texts in a part of a source. */
    private static Set<String> keys(String part) {
        Set<String> keys = new TreeSet<>();
        Matcher each = USED.matcher(part);
        while (each.find()) {
            keys.add(each.group(2));
        }
        return keys;
    }

    private static Set<String> parameters(String text) {
        Set<String> names = new TreeSet<>();
        Matcher each = PARAMETER.matcher(text);
        while (each.find()) {
            names.add(each.group());
        }
        return names;
    }

    @Test
    void englishHasEachTextThatIsUsedAndNoOther() {
        assertThat(new TreeSet<>(texts("en").keySet())).isEqualTo(used());
    }

    @ParameterizedTest
    @ValueSource(strings = {"de", "zh"})
    void everyLanguageHasTheSameTextsWithTheSameParameters(String language) {
        Map<String, String> english = texts("en");

        Map<String, String> other = texts(language);

        assertThat(other.keySet()).containsExactlyElementsOf(english.keySet());
        assertThat(other)
                .allSatisfy((key, text) -> assertThat(parameters(text))
                        .as("%s in %s", key, language)
                        .isEqualTo(parameters(english.getOrDefault(key, ""))));
        assertThat(other.values()).noneMatch(String::isBlank);
    }

    @Test
    void keysStandInTheSourcesAsTheyAreSoThatTheyCanBeFound() {
        List<String> computed = new ArrayList<>();
        ConsoleFiles.ending(".js").forEach((name, source) -> {
            Matcher each = NOT_LITERAL.matcher(source);
            while (!name.equals(DEFINES_THEM) && each.find()) {
                computed.add(name + ": " + each.group());
            }
        });

        assertThat(computed).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"en", "de", "zh"})
    void noDialogHasTwoButtonsWithOneText(String language) {
        Map<String, String> texts = texts(language);
        List<String> alike = new ArrayList<>();
        ConsoleFiles.ending(".js").forEach((name, source) -> {
            Matcher action = ACTION.matcher(source);
            while (action.find()) {
                keys(action.group(1)).stream()
                        .filter(key -> LEAVING.stream()
                                .anyMatch(each -> text(texts, each).equals(text(texts, key))))
                        .forEach(key -> alike.add(name + ": " + key));
            }
            Matcher footer = FOOTER.matcher(source);
            while (footer.find()) {
                Set<String> keys = keys(footer.group(1));
                if (keys.stream().map(key -> text(texts, key)).distinct().count() < keys.size()) {
                    alike.add(name + ": " + keys);
                }
            }
        });

        assertThat(alike).isEmpty();
    }

    /** Words that mean something else in the field, or nothing. */
    @ParameterizedTest
    @CsvSource({
        "en, looked through|any more members|Take away|Put back|Give a right|Best threads|The page is full|All the same",
        "de, Quote|Gesundheit|[Bb]estätigt|Bestätigungen|[Vv]ersetz|\\bdien(t|en)\\b|Durchsehen|sichern|gescheitert",
        "zh, 过滤|纪元|主导(?!航)|放回|已全部",
    })
    void textsUseTheTermsOfTheField(String language, String wrong) {
        assertThat(texts(language).values()).noneMatch(Pattern.compile(wrong).asPredicate());
    }

    @Test
    void oneSentenceSaysHowTopicsAreNamed() {
        assertThat(texts("en")).containsKey("topics.nameRule").doesNotContainKey("topics.nameWrong");
    }

    private static String text(Map<String, String> texts, String key) {
        return texts.getOrDefault(key, key);
    }
}
