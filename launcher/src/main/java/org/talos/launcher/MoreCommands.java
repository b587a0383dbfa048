// SPDX-License-Identifier: Apache-2.0
package org.talos.launcher;

import org.talos.cli.CommandContext;
import picocli.CommandLine;

/**
 * A command that is there only when its jar is. Found by {@link java.util.ServiceLoader}: the launcher cannot name what
 * is built after it and delivered apart from it, the compiler still sees both ends, and nothing is looked for unless
 * such a command, or the list of all, is asked for. The only one is {@code bench}.
 *
 * <p>Implementations are immutable.
 */
public interface MoreCommands {
    /** The command with all that is below it. */
    CommandLine command(CommandContext context);
}
