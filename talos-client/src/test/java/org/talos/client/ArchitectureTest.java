// SPDX-License-Identifier: Apache-2.0
package org.talos.client;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.domain.JavaClasses;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Checks how the SDK's packages use each other, and which libraries a program with the SDK has on its class path. */
class ArchitectureTest {
    private static final String SDK = "org.talos.client";
    private static final Map<String, List<String>> MAY_USE = Map.of(
            SDK + ".transport.socket",
            List.of(),
            SDK + ".transport",
            List.of(SDK + ".transport.socket"),
            SDK + ".stream",
            List.of(SDK + ".transport", SDK + ".transport.socket"),
            SDK,
            List.of(SDK + ".transport", SDK + ".stream"),
            SDK + ".admin",
            List.of(SDK, SDK + ".transport"),
            SDK + ".producer",
            List.of(SDK, SDK + ".transport", SDK + ".stream", SDK + ".admin"),
            SDK + ".consumer.group",
            List.of(SDK, SDK + ".transport"),
            SDK + ".consumer",
            List.of(SDK, SDK + ".transport", SDK + ".stream", SDK + ".admin", SDK + ".consumer.group"));
    private static final JavaClasses CLASSES = PackageRules.classesOf(SDK);

    @Test
    void packagesUseOnlyThoseBelowThem() {
        PackageRules.assertOnly(MAY_USE, CLASSES);
    }

    @Test
    void packagesFormNoCycle() {
        PackageRules.assertNoCycles(CLASSES);
        PackageRules.assertNoCycles(PackageRules.classesOf("org.talos.common"));
    }

    @Test
    void sdkUsesTheJdkThriftAndSlf4jOnly() {
        classes()
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        SDK + "..",
                        "org.talos.common..",
                        "org.talos.thrift",
                        "org.apache.thrift..",
                        "org.slf4j..",
                        "org.jspecify.annotations",
                        "com.google.errorprone.annotations..",
                        "java..",
                        "javax.net.ssl")
                .check(CLASSES);
    }
}
