/**
 * The {@code talos} command: {@link org.talos.cli.command.Talos} is its root, one class a subcommand. It uses the
 * client as any program does. What serves and measures is added by the module that has a server.
 */
@NullMarked
package org.talos.cli;

import org.jspecify.annotations.NullMarked;
