// SPDX-License-Identifier: Apache-2.0
package org.talos.cli;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.talos.client.PackageRules;

/** The commands use what they share, not the other way round, and the SDK as programs do. */
class ArchitectureTest {
    private static final String CLI = "org.talos.cli";
    private static final String COMMAND = CLI + ".command";
    private static final String TRAINING = CLI + ".training";
    private static final String ARGUMENT = CLI + ".argument";
    private static final String MESSAGE = CLI + ".message";
    private static final String COMPLETION = CLI + ".completion";
    private static final String TOP = CLI + ".top";
    private static final Map<String, List<String>> MAY_USE = Map.of(
            CLI, List.of(),
            ARGUMENT, List.of(CLI),
            MESSAGE, List.of(CLI),
            TOP, List.of(CLI, ARGUMENT),
            COMPLETION, List.of(CLI),
            COMMAND, List.of(CLI, ARGUMENT, MESSAGE, TOP, COMPLETION),
            TRAINING, List.of(CLI, COMMAND));

    private static final JavaClasses CLASSES = PackageRules.classesOf(CLI);

    @Test
    void packagesUseOnlyThoseBelowThem() {
        PackageRules.assertOnly(MAY_USE, CLASSES);
        PackageRules.assertNoCycles(CLASSES);
    }

    @Test
    void commandsUseTheSdkAsProgramsDo() {
        noClasses()
                .that()
                .resideOutsideOfPackage(TRAINING) // it plays the server
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.talos.client.transport..", "org.talos.thrift", "org.apache.thrift..")
                .check(CLASSES);
    }
}
