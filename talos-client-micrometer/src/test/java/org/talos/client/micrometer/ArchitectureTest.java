// SPDX-License-Identifier: Apache-2.0
package org.talos.client.micrometer;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import org.junit.jupiter.api.Test;
import org.talos.client.PackageRules;

/** The class path of a program with these meters: the client, Micrometer, and what those need. */
class ArchitectureTest {
    @Test
    void metersUseTheClientAndMicrometerOnly() {
        classes()
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        "org.talos.client..",
                        "io.micrometer.core.instrument..",
                        "org.slf4j..",
                        "org.jspecify.annotations",
                        "com.google.errorprone.annotations..",
                        "java..")
                .check(PackageRules.classesOf("org.talos.client.micrometer"));
    }
}
