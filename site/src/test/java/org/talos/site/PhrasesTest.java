// SPDX-License-Identifier: Apache-2.0
package org.talos.site;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Checks that pages, comments and messages have none of the phrases of phrases.txt, and names the right words. */
@Timeout(120)
class PhrasesTest {
    private static final Path ROOT = Path.of(System.getProperty("talos.root"));
    private static final String GAP = "[\\s*/#+\"]+"; // also where a comment or a string continues on the next line
    private static final Pattern TEXTS = Pattern.compile(
            "(conf/|.*/src/main/resources/).*\\.(js|html|json|yaml)|docs/.*\\.md|[RC]\\w+\\.md|.*\\.java");

    /** This file has the phrases. */
    private static final String LEFT_OUT = "site/src/test/java/org/talos/site/PhrasesTest.java";

    private static final String OLD_PAGE = """
            Credentials are those of REST: key and secret over TLS, or a page's token, which reads alone. `ws` is on the
            port of HTTP; a cluster's other servers answer for all partitions too, by one
            hop. A client is told when its topic has moved.

            ## Signs of life
            """;

    private static final String OLD_CODE = """
            /**
             * Adds a block, unless it is of a subscription of
             * before.
             */
            void goOn() {
                LOG.warn("the disk is full: puts go on by " + "themselves");
            }
            """;

    /**
     * A phrase that is not to be written. Immutable.
     *
     * @param instead the words to write in its place
     */
    private record Phrase(String expression, String instead, Pattern pattern) {
        static Phrase of(String line) {
            int tab = line.indexOf('\t');
            if (tab < 1 || tab == line.length() - 1) {
                throw new IllegalStateException("a phrase without its right words: " + line);
            }
            String expression = line.substring(0, tab).replace(" ", GAP);
            return new Phrase(
                    expression, line.substring(tab + 1), Pattern.compile(expression, Pattern.CASE_INSENSITIVE));
        }
    }

    private final List<Phrase> phrases = phrases();
    private final Pattern any = Pattern.compile(
            "\\b(?=\\w)(?:"
                    + String.join("|", phrases.stream().map(Phrase::expression).toList()) + ")\\b",
            Pattern.CASE_INSENSITIVE);

    PhrasesTest() throws IOException {}

    private static List<Phrase> phrases() throws IOException {
        try (InputStream list = Objects.requireNonNull(PhrasesTest.class.getResourceAsStream("phrases.txt"))) {
            return new String(list.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.isBlank() && !line.startsWith("#"))
                    .map(Phrase::of)
                    .toList();
        }
    }

    private static String name(Path path) {
        return ROOT.relativize(path).toString();
    }

    private static boolean isSource(Path folder) {
        String name = name(folder);
        return folder.equals(ROOT)
                || name.startsWith("docs")
                || name.startsWith("conf")
                || (name.contains("src") && !name.contains("src/generated"))
                || Files.exists(folder.resolve("pom.xml"));
    }

    /** The files that people read; what builds and servers leave beside the sources comes and goes meanwhile. */
    private static List<Path> files() throws IOException {
        List<Path> files = new ArrayList<>();
        Files.walkFileTree(ROOT, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
                return isSource(folder) ? FileVisitResult.CONTINUE : FileVisitResult.SKIP_SUBTREE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                String name = name(file);
                if (TEXTS.matcher(name).matches() && !name.equals(LEFT_OUT)) {
                    files.add(file);
                }
                return FileVisitResult.CONTINUE;
            }
        });
        return files;
    }

    private List<String> found(String name, String text) {
        return any.matcher(text)
                .results()
                .map(each -> sentence(name, text, each))
                .toList();
    }

    private String sentence(String name, String text, MatchResult found) {
        long line = 1
                + text.substring(0, found.start())
                        .chars()
                        .filter(each -> each == '\n')
                        .count();
        String right = phrases.stream()
                .filter(each -> each.pattern.matcher(found.group()).matches())
                .map(Phrase::instead)
                .findFirst()
                .orElseThrow();
        return name + ":" + line + ": \"" + found.group().replaceAll(GAP, " ") + "\", write: " + right;
    }

    @Test
    void nothingThatPeopleReadHasSuchAPhrase() throws IOException {
        List<Path> files = files();
        assertThat(files).hasSizeGreaterThan(1_000);

        List<String> all = new ArrayList<>();
        for (Path file : files) {
            all.addAll(found(name(file), Files.readString(file)));
        }
        assertThat(all)
                .as("phrases of site/src/test/resources/org/talos/site/phrases.txt")
                .isEmpty();
    }

    @Test
    void paragraphOfAnOldPageFailsWithTheRightWords() {
        assertThat(found("docs/stream.md", OLD_PAGE))
                .containsExactly(
                        "docs/stream.md:2: \"one hop\", write: forwarded once",
                        "docs/stream.md:3: \"is told\", write: is notified, is reported;"
                                + " or name the error or the answer",
                        "docs/stream.md:5: \"Signs of life\", write: heartbeat");
    }

    @Test
    void phraseIsFoundOverTheLinesOfACommentAndTheStringsOfAMessage() {
        assertThat(found("Old.java", OLD_CODE))
                .containsExactly(
                        "Old.java:2: \"subscription of before\","
                                + " write: earlier versions, earlier servers, previous data",
                        "Old.java:5: \"goOn\", write: resume, continue",
                        "Old.java:6: \"go on by themselves\", write: continues, resumes");
    }

    @Test
    void partOfALongerWordIsNoPhrase() {
        assertThat(found("docs/stream.md", "by one hopper, with signs of lifelong use; the told story of beforehand"))
                .isEmpty();
    }
}
