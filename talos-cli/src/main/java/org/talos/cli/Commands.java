// SPDX-License-Identifier: Apache-2.0
package org.talos.cli;

import picocli.CommandLine;

/** Prepares commands so that all of {@code talos} parse options and report failures in one way. Immutable. */
public final class Commands {
    private Commands() {}

    /** A command line of an annotated command. */
    public static CommandLine prepared(Object command) {
        ErrorLine errors = new ErrorLine();
        return new CommandLine(command)
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setExecutionExceptionHandler(errors)
                .setParameterExceptionHandler(errors);
    }
}
