// SPDX-License-Identifier: Apache-2.0
package org.talos.launcher;

import org.talos.cli.CommandContext;
import picocli.CommandLine;

/**
 * A command that exists only if its jar is present. It is found by {@link java.util.ServiceLoader}: the launcher cannot
 * name modules that are built after it and delivered separately, the compiler still sees both ends, and nothing is
 * searched unless such a command, or the list of all, is requested. The only one is {@code bench}.
 *
 * <p>Implementations are immutable.
 */
public interface MoreCommands {
    /** Returns the command with all that is below it. */
    CommandLine command(CommandContext context);
}
