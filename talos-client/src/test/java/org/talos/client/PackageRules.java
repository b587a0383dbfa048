// SPDX-License-Identifier: Apache-2.0
package org.talos.client;

import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/** What holds for the packages of each module: their size, no cycle, and which of them may use which. Immutable. */
public final class PackageRules {
    private static final int MOST_FILES = 25;

    private PackageRules() {}

    /** The classes of packages, with what is below them, without tests. */
    public static JavaClasses classesOf(String... packages) {
        return new ClassFileImporter()
                .withImportOption(new ImportOption.DoNotIncludeTests())
                .importPackages(packages);
    }

    /** Each package of a module has 25 files at most. */
    public static void assertSmall(String module) throws IOException {
        Map<String, Long> large = new TreeMap<>();
        Path sources = Path.of(System.getProperty("talos.root"), module, "src/main/java");
        try (Stream<Path> folders = Files.walk(sources).filter(Files::isDirectory)) {
            for (Path folder : (Iterable<Path>) folders::iterator) {
                try (Stream<Path> files = Files.list(folder).filter(Files::isRegularFile)) {
                    large.put(sources.relativize(folder).toString(), files.count());
                }
            }
        }
        assertThat(large).hasSizeGreaterThan(2);
        large.values().removeIf(count -> count <= MOST_FILES);

        assertThat(large).isEmpty();
    }

    /** No two packages use each other, not even over others. */
    public static void assertNoCycles(JavaClasses classes) {
        slices().assignedFrom(new ByPackage()).should().beFreeOfCycles().check(classes);
    }

    /** Packages use of each other only what a table allows; the table names all of them. */
    public static void assertOnly(Map<String, List<String>> mayUse, JavaClasses classes) {
        TreeSet<String> wrong = new TreeSet<>();
        for (JavaClass user : classes) {
            String from = user.getPackageName();
            List<String> allowed = mayUse.get(from);
            if (allowed == null) {
                wrong.add(from + " is not in the table");
                continue;
            }
            user.getDirectDependenciesFromSelf().stream()
                    .map(each -> each.getTargetClass().getBaseComponentType())
                    .filter(used -> mayUse.containsKey(used.getPackageName()))
                    .filter(used -> !used.getPackageName().equals(from) && !allowed.contains(used.getPackageName()))
                    .forEach(used -> wrong.add(user.getName() + " uses " + used.getName()));
        }

        assertThat(wrong).isEmpty();
    }

    /** One slice a package. Immutable. */
    private record ByPackage() implements SliceAssignment {
        @Override
        public SliceIdentifier getIdentifierOf(JavaClass type) {
            return SliceIdentifier.of(type.getPackageName());
        }

        @Override
        public String getDescription() {
            return "packages";
        }
    }
}
