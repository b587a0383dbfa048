/**
 * The whole {@code talos} command: the client's subcommands, a server, the quick start, and the commands that set up
 * and inspect a cluster. {@link org.talos.launcher.Main} assembles them; {@link org.talos.launcher.MoreCommands} adds
 * the measuring tools if they are present.
 */
@NullMarked
package org.talos.launcher;

import org.jspecify.annotations.NullMarked;
