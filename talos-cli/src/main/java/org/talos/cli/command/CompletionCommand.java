// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.command;

import java.io.IOException;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.talos.cli.ExitCodes;
import org.talos.cli.Surroundings;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * Prints the script by which a shell completes commands and options.
 *
 * <p>Confined: the main thread.
 */
@Command(
        name = "completion",
        description = "Print a script that completes commands and options.",
        mixinStandardHelpOptions = true)
final class CompletionCommand implements Callable<Integer> {
    private final Surroundings surroundings;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    /** One script serves both: in zsh it turns on zsh's own support for bash's completions. */
    @Parameters(
            paramLabel = "bash|zsh",
            arity = "0..1",
            description = "In that shell: source <(bin/talos completion bash|zsh). Default: bash")
    private Shell shell = Shell.BASH;

    private enum Shell {
        BASH,
        ZSH;

        /** The name as users type it, for help and completion. */
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    CompletionCommand(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    @Override
    public Integer call() throws IOException {
        surroundings.line("# In " + shell + ": source <(talos completion " + shell + ")");
        surroundings.line(AutoComplete.bash("talos", spec.root().commandLine()));
        return ExitCodes.DONE;
    }
}
