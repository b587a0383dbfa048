/**
 * The whole {@code talos} command: the client's subcommands, a server, the quick start, and what sets up and looks at a
 * cluster. {@link org.talos.launcher.Main} puts them together; {@link org.talos.launcher.MoreCommands} is where the
 * measuring tools join when they are there.
 */
@NullMarked
package org.talos.launcher;

import org.jspecify.annotations.NullMarked;
