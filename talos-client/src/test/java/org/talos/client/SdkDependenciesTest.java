// SPDX-License-Identifier: Apache-2.0
package org.talos.client;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import org.junit.jupiter.api.Test;

/** Programs with the SDK have neither the command nor its libraries on their class path. */
class SdkDependenciesTest {
    private final JavaClasses all = new ClassFileImporter().importPackages("org.talos.client");

    @Test
    void sdkUsesNothingOfTheCommand() {
        noClasses()
                .that()
                .resideInAPackage("org.talos.client..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.talos.cli..", "picocli..", "com.fasterxml..")
                .check(all);
    }
}
