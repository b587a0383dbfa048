// SPDX-License-Identifier: Apache-2.0
package org.talos.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A call of the contract is named once, where its subject registers it: everything else runs typed operations. */
class CallNamesTest {
    private static final Path ROOT = Path.of(System.getProperty("talos.root"));
    private static final Path SOURCES = ROOT.resolve("talos-server/src/main/java");
    private static final Path CONTRACT = ROOT.resolve("talos-common/src/main/thrift");
    private static final Pattern SERVICE =
            Pattern.compile("^service [^{]*\\{(.*?)^\\}", Pattern.MULTILINE | Pattern.DOTALL);
    private static final Pattern CALL = Pattern.compile("(\\w+)\\((?=1:|\\))");
    /** A text that is not the name of a route, which generated clients of REST have for a method. */
    private static final Pattern TEXT = Pattern.compile("(?<!\\.named\\()\"(\\w+)\"");

    private static final String REGISTERS = "implements ThriftCalls";

    @Test
    void everyCallOfTheContractIsRegisteredByASubject() throws IOException {
        Set<String> registered = new TreeSet<>();
        for (String source : texts(SOURCES, ".java")) {
            if (source.contains(REGISTERS)) {
                TEXT.matcher(source).results().forEach(found -> registered.add(found.group(1)));
            }
        }

        assertThat(registered).containsAll(calls());
    }

    @Test
    void noOtherClassNamesACall() throws IOException {
        Set<String> calls = calls();
        calls.removeIf(CallNamesTest::isOneWord);
        Set<String> named = new TreeSet<>();
        for (String source : texts(SOURCES, ".java")) {
            if (!source.contains(REGISTERS)) {
                TEXT.matcher(source).results().forEach(found -> named.add(found.group(1)));
            }
        }

        assertThat(calls).contains("describeTopic", "putMessage", "listQuota");
        assertThat(named).doesNotContainAnyElementsOf(calls);
    }

    /** Names such as "commit", which other texts have too. */
    private static boolean isOneWord(String call) {
        return call.chars().noneMatch(Character::isUpperCase);
    }

    /** All calls of all services. */
    private static Set<String> calls() throws IOException {
        Set<String> calls = new TreeSet<>();
        for (String page : texts(CONTRACT, ".thrift")) {
            Matcher services = SERVICE.matcher(page);
            while (services.find()) {
                CALL.matcher(services.group(1)).results().forEach(call -> calls.add(call.group(1)));
            }
        }
        return calls;
    }

    private static Set<String> texts(Path folder, String ending) throws IOException {
        Set<String> texts = new TreeSet<>();
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file :
                    (Iterable<Path>) files.filter(each -> each.toString().endsWith(ending))::iterator) {
                texts.add(Files.readString(file));
            }
        }
        return texts;
    }
}
