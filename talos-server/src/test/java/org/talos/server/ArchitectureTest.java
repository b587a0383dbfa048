// SPDX-License-Identifier: Apache-2.0
package org.talos.server;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The picture of docs/architecture.md, held: which part may use which, and which library stays where. */
class ArchitectureTest {
    private static final String ROOT = "org.talos.server";
    private static final Map<String, List<String>> MAY_USE = Map.ofEntries(
            entry("http", List.of("service", "auth")),
            entry(
                    "service",
                    List.of("auth", "cluster", "dispatch", "metadata", "partition", "log", "storage", "transfer")),
            entry("transfer", List.of("cluster", "log", "storage")),
            entry("partition", List.of("cluster", "log", "metadata", "storage")),
            entry("log", List.of("storage")),
            entry("auth", List.of("metadata")),
            entry("storage", List.of("hadoop")),
            entry("metadata", List.of("hadoop")),
            entry("hadoop", List.of()),
            entry("cluster", List.of()),
            entry("dispatch", List.of()));
    private static final Set<String> SERVE_ALL = Set.of("config", "metrics", "runtime");
    private static final Map<String, List<String>> LIBRARY_STAYS_IN = Map.of(
            "org.eclipse.jetty", List.of("http"),
            "org.apache.curator", List.of("cluster.zookeeper"),
            "org.apache.zookeeper", List.of("cluster.zookeeper"),
            "io.netty", List.of("transfer"),
            "org.rocksdb", List.of("metadata.rocksdb"),
            "org.apache.hadoop", List.of("hadoop", "storage.hdfs", "metadata.hbase"),
            "org.apache.hadoop.hbase", List.of("metadata.hbase"),
            "org.apache.hadoop.hdfs", List.of("storage.hdfs"),
            "com.codahale.metrics", List.of("metrics"),
            "org.HdrHistogram", List.of("metrics"));
    private static final Set<String> MAY_USE_HADOOP = Set.of("storage.hdfs", "metadata.hbase");
    private static final Pattern THREADING = Pattern.compile("(Immutable|Thread-safe|Confined)[.:]?");

    private final JavaClasses server = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages(ROOT);

    @Test
    void partsUseOnlyWhatThePictureAllows() {
        Set<String> wrong = new TreeSet<>();
        for (JavaClass user : server) {
            String part = partOf(user);
            for (Dependency dependency : user.getDirectDependenciesFromSelf()) {
                String used = partOf(dependency.getTargetClass().getBaseComponentType());
                if (!allowed(part, used)) {
                    wrong.add(part + " uses " + used + ": " + dependency.getDescription());
                }
            }
        }

        assertThat(wrong).isEmpty();
    }

    @Test
    void partsFormNoCycle() {
        slices().matching(ROOT + ".(*)..").should().beFreeOfCycles().check(server);
    }

    @Test
    void librariesStayBehindTheirPart() {
        Set<String> wrong = new TreeSet<>();
        for (Map.Entry<String, List<String>> library : LIBRARY_STAYS_IN.entrySet()) {
            for (JavaClass user : server) {
                boolean inside = library.getValue().stream().anyMatch(part -> isIn(part, user));
                boolean uses = user.getDirectDependenciesFromSelf().stream()
                        .anyMatch(dependency ->
                                resideInAnyPackage(library.getKey() + "..").test(dependency.getTargetClass()));
                if (uses && !inside) {
                    wrong.add(user.getName() + " uses " + library.getKey());
                }
            }
        }

        assertThat(wrong).isEmpty();
    }

    @Test
    void embeddedStoresKnowNothingOfHadoop() {
        Set<String> wrong = new TreeSet<>();
        for (JavaClass user : server) {
            boolean allowed = List.of("", "root", "hadoop").contains(partOf(user))
                    || MAY_USE_HADOOP.stream().anyMatch(part -> isIn(part, user));
            boolean uses = user.getDirectDependenciesFromSelf().stream()
                    .anyMatch(dependency -> isIn("hadoop", dependency.getTargetClass()));
            if (uses && !allowed) {
                wrong.add(user.getName());
            }
        }

        assertThat(wrong).isEmpty();
    }

    @Test
    void everyTopLevelClassSaysItsThreading() throws IOException {
        Path sources = Path.of(System.getProperty("talos.root"), "talos-server/src/main/java");
        Set<String> silent = new TreeSet<>();
        try (Stream<Path> files = Files.walk(sources)) {
            for (Path file : (Iterable<Path>) files.filter(ArchitectureTest::isClassFile)::iterator) {
                String text = Files.readString(file);
                boolean stateful = Pattern.compile(
                                "^(public )?(final |abstract )?(class|record|interface) ", Pattern.MULTILINE)
                        .matcher(text)
                        .find();
                boolean exempt = text.contains("enum ") || text.contains("sealed interface");
                if (stateful && !exempt && !THREADING.matcher(text).find()) {
                    silent.add(sources.relativize(file).toString());
                }
            }
        }

        assertThat(silent).isEmpty();
    }

    private static boolean isIn(String part, JavaClass type) {
        String packageName = ROOT + "." + part;
        return type.getPackageName().equals(packageName)
                || type.getPackageName().startsWith(packageName + ".");
    }

    private static boolean isClassFile(Path file) {
        String name = file.getFileName().toString();
        return name.endsWith(".java") && !name.equals("package-info.java");
    }

    private static boolean allowed(String part, String used) {
        if (used.isEmpty() || used.equals(part) || part.equals("root")) {
            return true;
        }
        if (SERVE_ALL.contains(used)) {
            return !SERVE_ALL.contains(part) || Set.of("config", "runtime").contains(used);
        }
        return MAY_USE.getOrDefault(part, List.of()).contains(used);
    }

    private static String partOf(JavaClass type) {
        String name = type.getPackageName();
        if (!name.startsWith(ROOT)) {
            return "";
        }
        if (name.equals(ROOT)) {
            return "root";
        }
        String rest = name.substring(ROOT.length() + 1);
        int dot = rest.indexOf('.');
        return dot < 0 ? rest : rest.substring(0, dot);
    }
}
