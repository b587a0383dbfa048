// SPDX-License-Identifier: Apache-2.0
package org.talos.client;

import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.ArchConfiguration;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** The rules for the packages of a module: no cycle, and which may use which. Immutable. */
public final class PackageRules {

    private PackageRules() {}

    /**
     * Returns the classes of some packages and their sub-packages, without tests. Of the classes of others, only the
     * names are known. These rules ask for no more, and to read the JDK and libraries takes longer.
     */
    public static JavaClasses classesOf(String... packages) {
        ArchConfiguration.get().setResolveMissingDependenciesFromClassPath(false);
        return new ClassFileImporter()
                .withImportOption(new ImportOption.DoNotIncludeTests())
                .importPackages(packages);
    }

    /** Asserts that the packages form no cycle. */
    public static void assertNoCycles(JavaClasses classes) {
        slices().assignedFrom(new ByPackage()).should().beFreeOfCycles().check(classes);
    }

    /** Asserts that packages use each other only as a table allows, which names each of them. */
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

    /** Makes each package a slice. Immutable. */
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
