// SPDX-License-Identifier: Apache-2.0
package org.talos.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/**
 * The examples in Java name the versions that this build has: the tests build them with nothing else, and a reader gets
 * the client that the text beside them is about.
 */
@Timeout(30)
class ExampleVersionsTest {
    private static final Path ROOT = Path.of(System.getProperty("talos.root"));

    private static Document pom(Path file) throws Exception {
        return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(file.toFile());
    }

    private static String text(Element parent, String name) {
        NodeList all = parent.getElementsByTagName(name);
        return all.getLength() == 0 ? "" : all.item(0).getTextContent();
    }

    /** Versions by artifact, and the project's own by the name of its BOM. */
    private static Map<String, String> versions(Document pom) {
        Map<String, String> versions = new TreeMap<>();
        for (String kind : new String[] {"dependency", "plugin"}) {
            NodeList all = pom.getElementsByTagName(kind);
            for (int i = 0; i < all.getLength(); i++) {
                Element each = (Element) all.item(i);
                String version = text(each, "version");
                if (!version.isEmpty()) {
                    versions.put(text(each, "artifactId"), resolved(pom, version));
                }
            }
        }
        return versions;
    }

    private static String resolved(Document pom, String version) {
        return version.startsWith("${version.")
                ? text(pom.getDocumentElement(), version.substring(2, version.length() - 1))
                : version;
    }

    @ParameterizedTest
    @ValueSource(strings = {"java", "spring-boot"})
    void exampleHasTheVersionsOfThisBuild(String example) throws Exception {
        Document root = pom(ROOT.resolve("pom.xml"));
        Map<String, String> ours = versions(root);
        ours.put("talos-bom", text(root.getDocumentElement(), "version"));

        Map<String, String> theirs = versions(pom(ROOT.resolve("examples/" + example + "/pom.xml")));

        assertThat(theirs).containsKeys("talos-bom", "maven-compiler-plugin");
        theirs.keySet().removeIf(artifact -> artifact.startsWith("spring-boot-")); // the full suite's own
        assertThat(ours).containsAllEntriesOf(theirs);
    }
}
