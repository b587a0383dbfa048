/**
 * Completion in shells: a script that knows commands, options and their values by itself, and asks {@code talos
 * completion --names} for the names of topics, groups, users and profiles.
 */
@NullMarked
package org.talos.cli.completion;

import org.jspecify.annotations.NullMarked;
