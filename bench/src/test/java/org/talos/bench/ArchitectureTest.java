// SPDX-License-Identifier: Apache-2.0
package org.talos.bench;

import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.ArchConfiguration;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.talos.cli.Commands;
import org.talos.common.error.Exceptions;
import org.talos.launcher.MoreCommands;
import org.talos.launcher.cluster.ClusterCalls;
import picocli.CommandLine;

/** Checks the package structure of the modules from the launcher upwards. */
class ArchitectureTest {
    private static final String MAKING = "run|call|invoke|populateCommand|populateSpec"; // static ways to run a command

    /** Imported once: reading the classes takes longer than all rules together. */
    private static final JavaClasses ALL = imported();

    private static JavaClasses imported() {
        // Of the classes of others, names are enough.
        ArchConfiguration.get().setResolveMissingDependenciesFromClassPath(false);
        return new ClassFileImporter()
                .withImportOption(new ImportOption.DoNotIncludeTests())
                .importPackages("org.talos");
    }

    private static JavaClasses classes(String root) {
        JavaClasses classes = ALL.that(resideInAPackage(root + ".."));
        assertThat(classes).isNotEmpty();
        return classes;
    }

    @ParameterizedTest
    @ValueSource(strings = {"org.talos.devcluster", "org.talos.launcher", "org.talos.check", "org.talos.bench"})
    void packagesFormNoCycle(String root) {
        slices().matching("org.talos.(**)").should().beFreeOfCycles().check(classes(root));
    }

    @Test
    void onlyCommandsMakesCommandLines() {
        noClasses()
                .that()
                .doNotBelongToAnyOf(Commands.class)
                .should()
                .callConstructorWhere(target(owner(type(CommandLine.class))))
                .orShould()
                .callMethodWhere(target(owner(type(CommandLine.class))).and(target(nameMatching(MAKING))))
                .because("picocli replaces arguments that begin with @ by the words of a file, unless Commands says no")
                .check(classes("org.talos"));
    }

    @Test
    void failuresOfFuturesAreUnwrappedInOnePlace() {
        assertThat(classes("org.talos").stream()
                        .filter(each -> each.getInstanceofChecks().stream()
                                .anyMatch(check -> check.getRawType().isEquivalentTo(CompletionException.class)))
                        .map(JavaClass::getName))
                .containsOnly(Exceptions.class.getName());
    }

    @Test
    void benchUsesOfTheLauncherOnlyWhatIsForOthers() {
        assertThat(classes("org.talos.bench").stream()
                        .flatMap(each -> each.getDirectDependenciesFromSelf().stream())
                        .map(each -> each.getTargetClass().getBaseComponentType())
                        .filter(each -> each.getPackageName().startsWith("org.talos.launcher"))
                        .filter(each -> !each.getPackageName().equals("org.talos.launcher.local"))
                        .map(JavaClass::getName))
                .containsOnly(MoreCommands.class.getName(), ClusterCalls.class.getName());
    }
}
