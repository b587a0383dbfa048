// SPDX-License-Identifier: Apache-2.0
package org.talos.integration;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Checks that each test that {@code mvn verify} leaves to {@code -Pfull} is in one of its parts, so that all parts
 * together are everything.
 */
class PartsTest {
    private static final Path ROOT = Path.of(System.getProperty("talos.root"));
    private static final Pattern TAG = Pattern.compile("@Tags?\\b");
    private static final Pattern LEFT_OUT =
            Pattern.compile("@Tag\\(\"full\"\\) // [a-z]+\\n *@Tag\\(\"(storage|servers|bench)\"\\)\\n");
    private static final List<String> PARTS = List.of("bench", "servers", "storage");

    /** Of all modules; what builds and servers leave beside the sources comes and goes meanwhile. */
    private static List<Path> tests() throws IOException {
        List<Path> tests = new ArrayList<>();
        Files.walkFileTree(ROOT, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
                boolean sources = folder.equals(ROOT)
                        || Files.exists(folder.resolve("pom.xml"))
                        || ROOT.relativize(folder).toString().contains("src");
                return sources ? FileVisitResult.CONTINUE : FileVisitResult.SKIP_SUBTREE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                String name = file.toString();
                if (name.contains("src/test/java/") && name.endsWith(".java") && !file.endsWith("PartsTest.java")) {
                    tests.add(file);
                }
                return FileVisitResult.CONTINUE;
            }
        });
        return tests;
    }

    private static List<MatchResult> found(Pattern pattern, Path file) throws IOException {
        return pattern.matcher(Files.readString(file)).results().toList();
    }

    @Test
    void eachTestThatIsLeftOutHasItsReasonAndOnePart() throws IOException {
        for (Path test : tests()) {
            assertThat(found(TAG, test))
                    .as("tags of %s, each pair as '@Tag(\"full\") // reason' and '@Tag(\"part\")'", test)
                    .hasSize(2 * found(LEFT_OUT, test).size());
        }
    }

    @Test
    void eachPartHasTests() throws IOException {
        assertThat(tests().stream().flatMap(PartsTest::parts).distinct().sorted())
                .containsExactlyElementsOf(PARTS);
    }

    private static Stream<String> parts(Path test) {
        try {
            return found(LEFT_OUT, test).stream().map(each -> each.group(1));
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void buildKnowsTheSameParts() throws IOException {
        String pom = Files.readString(ROOT.resolve("pom.xml"));
        Pattern regex = Pattern.compile("<property>part</property>\\s*<regex>([^<]*)</regex>");

        assertThat(regex.matcher(pom).results().map(each -> each.group(1)))
                .singleElement()
                .satisfies(parts -> assertThat(parts.split("\\|")).contains(PARTS.toArray(String[]::new)));
    }
}
